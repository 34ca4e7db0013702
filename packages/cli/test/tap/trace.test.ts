/** The traffic of the commands of `parley mcp`, as they show it. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Parley from "../Parley.ts"

const commands = (address: string): ReadonlyArray<ReadonlyArray<string>> => [
  [
    "list",
    address,
    "tools",
    "--json",
    "--trace",
    "--show",
    "tools/*,initialize,http",
    "--protocol-version",
    "2025-06-18"
  ],
  ["call", address, "echo", "text=token=s3cr3t", "--show", "tools/call"],
  ["call", `${Parley.stdio(Parley.bin)} mcp serve --stdio`, "echo", "text=hi", "--show", "server/discover"],
  ["read", address, "test://static-text", "--trace"],
  ["prompt", address, "test_simple_prompt", "--trace"],
  ["complete", address, "prompt:test_prompt_with_arguments", "arg1", "par", "--trace"],
  ["inspect", address, "--show", "initialize", "--json"],
  ["list", address, "--show", "!"]
]

it.live("each command shows its messages on stderr as tap does, by a filter, without secrets", () =>
  Effect.gen(function*() {
    const server = yield* Parley.start(["mcp", "serve", "--http", "127.0.0.1:0"])
    const address = (yield* server.line).replace(/^listening /, "")
    const outcomes = yield* Parley.runAll(...commands(address).map((words) => ["mcp", ...words]))
    const outcome = (at: number) => outcomes[at] ?? assert.fail("it did not run")
    const entriesOf = (at: number) =>
      outcome(at).stderr.trimEnd().split("\n").map((line): Readonly<Record<string, unknown>> => JSON.parse(line))
    assert.deepStrictEqual(
      // The stream of the session is opened at the same time.
      entriesOf(0).filter(({ kind }) => kind !== "http").map((
        { connection, kind, method, text }
      ) => [connection, kind, method ?? text]),
      [
        [1, "request", "initialize"],
        [1, "result", "initialize"],
        [1, "request", "tools/list"],
        [1, "result", "tools/list"]
      ]
    )
    assert.sameMembers(entriesOf(0).filter(({ kind }) => kind === "http").map(({ text }) => text), [
      "GET: 200, event stream opened",
      "DELETE: 204, session ended"
    ])
    assert.deepStrictEqual(entriesOf(1).map(({ kind }) => kind), ["request", "result"])
    assert.include(outcome(1).stdout, "s3cr3t")
    assert.notInclude(outcome(1).stderr, "s3cr3t")
    assert.include(outcome(1).stderr, "token=[redacted]")
    assert.include(outcome(2).stderr, `"method":"server/discover"`)
    for (const at of [3, 4, 5]) assert.include(outcome(at).stderr, `"kind":"result"`)
    // A legacy revision is tried with another connection than the first.
    assert.isAbove(Number(entriesOf(6)[0]?.["connection"]), 1)
    assert.deepInclude(outcome(7), { code: 64, stdout: "" })
    assert.include(
      outcome(7).stderr,
      `--show: "!" names nothing (hint: a term is a pattern of methods, such as tools/*`
    )
  }))
