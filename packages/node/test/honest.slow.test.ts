/** All of what the ordinary tests do a tenth of, on more transports. */
import "./honest.test.ts"
