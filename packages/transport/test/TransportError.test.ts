import { assert, describe, it } from "@effect/vitest"
import { describeReason } from "@parley/transport/Transport"

/** What programs write to stderr when they fail, and the line that says why. */
const programs = [
  {
    name: "Node.js",
    stderr:
      "file:///srv/main.ts:2\nthrow new Error(\"no port\")\n      ^\n\nError: no port\n    at file:///srv/main.ts:2:7\n\nNode.js v24.1.0\n",
    line: "Error: no port"
  },
  {
    name: "Node.js with members of the error",
    stderr:
      "node:internal/modules/esm/resolve:262\n    throw new ERR_MODULE_NOT_FOUND(\n          ^\n\nError [ERR_MODULE_NOT_FOUND]: Cannot find module '/srv/a.ts'\n    at resolve (node:internal:1:1) {\n  code: 'ERR_MODULE_NOT_FOUND'\n}\n\nNode.js v24.1.0\n",
    line: "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/srv/a.ts'"
  },
  {
    name: "Python",
    stderr:
      "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    1/0\nZeroDivisionError: division by zero\n",
    line: "ZeroDivisionError: division by zero"
  },
  { name: "a shell", stderr: "sh: 1: nowhere: not found\n", line: "sh: 1: nowhere: not found" },
  {
    name: "a program with levels",
    stderr: "Starting\n[error] port 3000 is in use\n",
    line: "[error] port 3000 is in use"
  },
  {
    name: "a program in colours",
    stderr: "booting\n\u001b[31mError: no port\u001b[39m\n",
    line: "\\u001b[31mError: no port\\u001b[39m"
  },
  { name: "a program that indents", stderr: "  all is lost\n", line: "  all is lost" }
]

describe("the reason of a process that has ended", () => {
  it.each(programs)("is the line that says why: $name", ({ line, stderr }) => {
    const said = describeReason({ _tag: "Exited", code: 1, signal: null, stderr })
    assert.strictEqual(said, `the process exited with code 1: ${line}`)
  })

  it("has none where the process has written none", () => {
    assert.strictEqual(
      describeReason({ _tag: "Exited", code: 1, signal: null, stderr: "" }),
      "the process exited with code 1"
    )
  })
})
