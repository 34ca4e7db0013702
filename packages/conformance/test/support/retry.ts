/** Makes calls again that may be made twice: at once after each connection, and long enough for any scenario. */
import { Retry } from "@parley/middleware"
import { Schedule } from "effect"

export const retry = Retry.caller({ schedule: Schedule.spaced(20).pipe(Schedule.upTo({ times: 100 })) })
