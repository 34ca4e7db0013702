/**
 * `parley conform`: its arguments and flags.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { ca, dialect, endpointOrCommand, framing, header, time, toggle } from "../arguments/flags.ts"
import { loaded } from "../arguments/loaded.ts"

/** Where a report goes, as all commands that write one have it. */
export const reported = {
  format: Flag.Literals("format", ["table", "json", "junit", "sarif", "markdown", "html"]).pipe(
    Flag.withMetavar("FORMAT"),
    Flag.withDescription("How stdout shows the report (default: table)"),
    Flag.withDefault("table" as const)
  ),
  report: Flag.String("report").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription(
      "Also write the report to FILE, in the format of its ending: .json, .xml (JUnit), .sarif, .md or .html; may be repeated"
    ),
    Flag.atLeast(0)
  ),
  all: toggle("all", "Give each rule a row in the table, also those that hold or are not applicable"),
  about: Flag.String("about").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription(
      "The source that SARIF names, so that CI annotates it, as a path from the root of the repository"
    ),
    Flag.optional
  )
}

const names = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar("RULE"), Flag.withDescription(description), Flag.atLeast(0))

export const conform = Command.make(
  "conform",
  {
    endpoint: endpointOrCommand,
    protocol: Flag.Literals("protocol", ["mcp", "jsonrpc"]).pipe(
      Flag.withMetavar("PROTOCOL"),
      Flag.withDescription("What the server speaks: mcp or jsonrpc (default: it is found out)"),
      Flag.optional
    ),
    openrpc: Flag.String("openrpc").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("The OpenRPC document of its methods (default: what rpc.discover gives)"),
      Flag.optional
    ),
    method: Flag.String("method").pipe(
      Flag.withMetavar("'NAME PARAMS'"),
      Flag.withDescription(
        "A call that changes nothing and succeeds, as in 'subtract [42, 23]', for a server without a document; may be repeated"
      ),
      Flag.atLeast(0)
    ),
    only: names(
      "only",
      "Run only this rule, or those whose ids begin with it, as in mcp or jsonrpc/batch; may be repeated"
    ),
    skip: names("skip", "Leave it out, likewise; may be repeated"),
    list: toggle("list", "List the rules that --only and --skip choose, and test nothing"),
    seed: Flag.Int("seed").pipe(
      Flag.withDescription("Generate the same values again (default: 1)"),
      Flag.withDefault(1)
    ),
    expect: Flag.String("expect").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription(
        "A file with a rule on each line that is known to fail: it counts as no failure, and as one when it passes"
      ),
      Flag.optional
    ),
    write: toggle("write", "Also call what does not say that it only reads"),
    aggressive: toggle("aggressive", "Also send large, deep and many messages, which may slow the server down"),
    timeout: time.pipe(
      Flag.withDescription("How long an answer may take, as in 500ms or 5s (default: 5s)"),
      Flag.optional
    ),
    dialect,
    framing: framing("How a stream separates messages"),
    header,
    ca,
    ...reported
  },
  loaded(() => import("./conform.ts").then(({ conform }) => conform))
).pipe(
  Command.withDescription(
    "Look whether a server keeps JSON-RPC 2.0, the Model Context Protocol and what it declares. The command finds out what "
      + "the server speaks, and needs no fixtures. The exit code is 0 where no rule has failed, 1 where one has, 2 where "
      + "the server cannot be reached or most rules were not decided, 64 when the arguments are wrong, and 74 when a report "
      + "cannot be written. A warning is a breach of a SHOULD and no failure."
  ),
  Command.withShortDescription("Look whether a server keeps its specifications"),
  Command.withExamples([
    { command: "parley conform -- node server.js", description: "Start a server, and test it over stdio" },
    { command: "parley conform http://127.0.0.1:3000/mcp --report conform.html --report conform.sarif" },
    { command: "parley conform tcp://127.0.0.1:4000 --only jsonrpc --skip jsonrpc/batch" },
    { command: "parley conform unix:/tmp/rpc.sock --openrpc api.json --write" },
    { command: "parley conform --expect known-failures.txt -- node server.js" }
  ])
)
