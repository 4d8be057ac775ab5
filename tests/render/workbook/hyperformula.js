// Reads sheets and names as JSON, lets HyperFormula calculate them, and prints all values as JSON. The first argument is its package.
"use strict";
const { HyperFormula } = require(process.argv[2]);
const job = JSON.parse(require("fs").readFileSync(0, "utf8"));
const settings = { licenseKey: "gpl-v3", smartRounding: false, precisionEpsilon: 0, useArrayArithmetic: true };
const book = HyperFormula.buildFromSheets(job.sheets, settings, job.names);
const shown = (value) => (value !== null && typeof value === "object" ? `#${value.type}: ${value.message}` : value);
const values = Object.fromEntries(
  book.getSheetNames().map((name) => [name, book.getSheetValues(book.getSheetId(name)).map((row) => row.map(shown))]),
);
process.stdout.write(JSON.stringify(values));
