/** The same through a collector. */
import "./otlp.test.ts"
