/** Every scenario of both suites. */
import "./client.test.ts"
