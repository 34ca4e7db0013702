/** The search that the ordinary tests cut short. */
import "./pattern.test.ts"
