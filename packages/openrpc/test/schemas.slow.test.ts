/** The same, more often. */
import "./schemas.test.ts"
