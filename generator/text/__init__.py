"""What stands in text: places, names, expressions, and the problems that are found there, with what may have been meant."""
