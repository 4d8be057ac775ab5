"""The proof: generated modules are run and measured, and every count is compared with its formula."""
