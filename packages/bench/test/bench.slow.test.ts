/** What is measured beyond the ordinary tests, each in a process of its own. */
import { describe, it } from "vitest"
import { over, wires } from "../src/subjects.ts"
import { distinct, echoes, isQuick } from "./support/echoes.ts"

const subjects = (await Promise.all(wires.map(over))).flat()

describe("the rest of what is measured echoes, and leaves nothing open", () => {
  it.each(distinct(subjects).filter((subject) => !isQuick(subject)))("$name", echoes)
})
