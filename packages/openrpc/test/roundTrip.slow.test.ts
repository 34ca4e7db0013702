/** As `roundTrip.test.ts`, with more of all. */
import "./roundTrip.test.ts"
