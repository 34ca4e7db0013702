/** Survivors that no test needs to notice, each with the reason. */
import { framings } from "./accepted/framings.ts"
import { messages } from "./accepted/messages.ts"
import type { AcceptedSurvivors } from "./Survivor.ts"

export const accepted: AcceptedSurvivors = { ...framings, ...messages }
