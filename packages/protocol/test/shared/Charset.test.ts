import { assert, it } from "@effect/vitest"
import * as Framing from "../../src/Framing.ts"
import * as Limits from "../../src/Limits.ts"
import * as Charset from "../../src/shared/text/Charset.ts"
import { bytes } from "../framing/framings.ts"

const utf8 = [
  "",
  "; a=b",
  ";charset=utf-8",
  "; charset=UTF8",
  "; Charset = \"utf-8\"",
  ";charset=us-ascii",
  "; charset"
]
const others = [
  ";charset=latin1",
  "; charset=utf-16",
  ";charset='utf-8'",
  ";charset=\"\"",
  ";charset=",
  ";charset=\"utf-8",
  "; charset=utf-8; charset=latin1"
]

it("UTF-8 and its part US-ASCII are the charsets of JSON, in every header", () => {
  for (const [all, expected] of [[utf8, true], [others, false]] as const) {
    for (const parameters of all) {
      assert.strictEqual(Charset.isUtf8(`application/json${parameters}`), expected, parameters)
      const splitter = Framing.contentLength.splitter(Limits.defaults)
      const [frame] = splitter.push(bytes(`Content-Type: x/y${parameters}\r\nContent-Length: 2\r\n\r\n{}`))
      assert.strictEqual(typeof frame === "string", expected, parameters)
    }
  }
})
