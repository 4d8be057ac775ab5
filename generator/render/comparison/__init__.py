"""Several specs side by side at sizes that are held equal, while one size is swept: values, ratios, crossings, charts, workbooks."""
