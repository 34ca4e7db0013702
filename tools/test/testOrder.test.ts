import { assert, it } from "@effect/vitest"
import { join } from "node:path"
import { collectsGarbage } from "../TestOrder.ts"

const root = join(import.meta.dirname, "../..")

it("the files that collect garbage come first, also where what they import does", () => {
  const files = ["node/test/memory", "node/test/cycles", "protocol/test/framing/Framing.line", "peer/test/Calls"]
  const first = files.map((file) => collectsGarbage(join(root, "packages", `${file}.test.ts`)))
  assert.deepStrictEqual(first, [true, true, true, false])
})
