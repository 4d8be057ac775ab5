"""The version of the distribution, and one of the things that decide whether an output is up to date."""

VERSION = "0.1.0"
