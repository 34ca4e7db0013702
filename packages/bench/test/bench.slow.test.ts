/** The implementations of others, of which each is loaded in a process of its own. */
import { describe, it } from "vitest"
import { over, wires } from "../src/subjects.ts"
import { distinct, echoes, isOwn } from "./support/echoes.ts"

const subjects = (await Promise.all(wires.map(over))).flat()

describe("what is measured of others echoes, and leaves nothing open", () => {
  it.each(distinct(subjects).filter((subject) => !isOwn(subject)))("$name", echoes)
})
