/** The same a thousand times. */
import "./restarts.test.ts"
import "./reload.test.ts"
