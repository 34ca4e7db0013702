/** Runs the tests of the exporters through a collector. */
import "./otlp.test.ts"
