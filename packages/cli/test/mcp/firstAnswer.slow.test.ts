/** A command that takes longer to start than a call may take, as one that a package runner has to install first. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Parley from "../Parley.ts"

const late = (seconds: number) =>
  `stdio:"${process.execPath}" -e "setTimeout(() => import(process.argv[1]), ${seconds * 1000})" "${
    new URL("../fixtures/environment.ts", import.meta.url).pathname
  }"`

describe("parley mcp", () => {
  it.live("waits longer for the first answer of a command than for others", () =>
    Effect.gen(function*() {
      const [patient, hurried] = yield* Parley.runAll(
        ["mcp", "call", late(32), "variables", `names=["ABSENT"]`],
        ["mcp", "list", late(32), "--timeout", "2s"]
      )
      assert.deepStrictEqual(patient?.stdout, "absent\n")
      assert.strictEqual(hurried?.code, 2)
    }), 90_000)
})
