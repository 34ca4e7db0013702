/** As these tests, with more of all. */
import "./identity.test.ts"
import "./published.test.ts"
