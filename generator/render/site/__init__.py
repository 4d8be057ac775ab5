"""The pages for a browser: one for each spec, that of all specs, and the script and style that they share."""
