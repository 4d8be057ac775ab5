"""`gen count`: the counters of `generator.proof.measure` on a module that anybody has written. Importing its modules imports torch."""
