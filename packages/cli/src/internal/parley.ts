/**
 * The command line: its words, and what is said when they are wrong.
 *
 * What the commands do is loaded when it is needed; help and usage errors do not wait for it.
 */
import * as Argument from "effect/cli/Argument"
import * as CliConfig from "effect/cli/CliConfig"
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { ca, dialect, endpoint, header, places, timeout } from "./arguments/flags.ts"
import { mcp } from "./mcp/command.ts"

const framingNames = ["line", "content-length", "concatenated"] as const

/** The framings of the dialects, as `framings.ofDialect` has them. */
const ofDialect = "(default: that of the dialect: content-length for lsp, concatenated for ethereum, line for the rest)"

const framing = Flag.Literals("framing", framingNames).pipe(
  Flag.withDescription(
    `How a stream tells messages apart: one per line, after a Content-Length header, or by their ends ${ofDialect}`
  ),
  Flag.optional
)

const somewhere = "tcp://HOST:PORT, unix:PATH, stdio:, ws://HOST:PORT[/PATH], http://HOST:PORT[/PATH] or "
  + "nats://HOST:PORT/SUBJECT"

const serve = Command.make(
  "serve",
  {
    ...places,
    dialect,
    framing
  },
  (input) => Effect.flatMap(Effect.promise(() => import("./commands/serve.ts")), ({ serve }) => serve(input))
).pipe(
  Command.withDescription(
    "Serve the specimen methods: echo, subtract, sum, get_data, fail, crash, sleep and callback, "
      + "and the notifications update, notify_hello and notify_sum. "
      + "A socket prints one line when it is ready, as in: listening tcp://127.0.0.1:41234"
  ),
  Command.withShortDescription("Serve the specimen methods"),
  Command.withExamples([
    { command: "parley serve --stdio", description: "Serve the process that started this one" },
    { command: "parley serve --tcp 127.0.0.1:0", description: "Serve a free port of this machine" },
    { command: "parley serve --unix /tmp/parley.sock --framing content-length" },
    { command: "parley serve --http 127.0.0.1:0/rpc", description: "Serve posts to a path" },
    { command: "parley serve --nats nats://127.0.0.1:4222/specimen", description: "Serve a subject of NATS" }
  ])
)

const call = Command.make(
  "call",
  {
    endpoint,
    method: Argument.String("METHOD").pipe(Argument.withDescription("The method to call")),
    params: Argument.String("PARAMS").pipe(
      Argument.withDescription("A JSON array or object; without it, no params"),
      Argument.optional
    ),
    notify: Flag.Boolean("notify").pipe(
      Flag.withDescription("Send a notification: no answer is waited for"),
      Flag.withDefault(false),
      Flag.withoutNegation
    ),
    timeout,
    dialect,
    framing,
    header,
    ca,
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print one value of JSON: an object with the result, or with the error"),
      Flag.withDefault(false),
      Flag.withoutNegation
    ),
    trace: Flag.Boolean("trace").pipe(
      Flag.withDescription("Show every frame on stderr, with its direction and time"),
      Flag.withDefault(false),
      Flag.withoutNegation
    )
  },
  (input) => Effect.flatMap(Effect.promise(() => import("./commands/call.ts")), ({ call }) => call(input))
).pipe(
  Command.withDescription(
    "Call a method and print its result. The exit code is 0 for a result, 1 for an error of the other side, "
      + "2 when no answer came, and 64 when the arguments are wrong. "
      + "While it waits, the method echo is served to the other side, unless that is reached by HTTP or by single "
      + "messages of NATS: a URL of nats that ends with ?conversation begins a conversation. "
      + "The user of NATS is that of the URL, else of the file NATS_CREDS, else NATS_USER and NATS_PASSWORD, or NATS_TOKEN."
  ),
  Command.withShortDescription("Call a method and print its result"),
  Command.withExamples([
    { command: "parley call tcp://127.0.0.1:4000 subtract '[42, 23]'" },
    { command: "parley call \"stdio:parley serve --stdio\" echo '{\"text\":\"hi\"}' --trace" },
    { command: "parley call unix:/tmp/parley.sock update '[1, 2]' --notify" },
    { command: "parley call https://example.org/rpc echo --header 'Authorization: Bearer …'" },
    { command: "parley call nats://127.0.0.1:4222/bank balance '{\"account\":\"alice\"}'" },
    {
      command: "parley call tcp://127.0.0.1:1234 Arith.Multiply '[{\"A\": 7, \"B\": 6}]' --dialect jsonRpc1",
      description: "Call a server of Go's net/rpc/jsonrpc"
    }
  ])
)

const proxied = {
  endpoint,
  dialect,
  framing: Flag.Literals("framing", framingNames).pipe(
    Flag.withDescription(`How the streams of --listen tell messages apart ${ofDialect}`),
    Flag.optional
  ),
  endpointFraming: Flag.Literals("endpoint-framing", framingNames).pipe(
    Flag.withDescription(`How the stream of ENDPOINT tells messages apart ${ofDialect}`),
    Flag.optional
  ),
  header,
  ca
}

const proxy = Command.make(
  "proxy",
  {
    ...proxied,
    listen: Flag.String("listen").pipe(
      Flag.withMetavar("PLACE"),
      Flag.withDescription(`${somewhere}; port 0 picks a free one`)
    )
  },
  (input) => Effect.flatMap(Effect.promise(() => import("./commands/proxy.ts")), ({ proxy }) => proxy(input))
).pipe(
  Command.withDescription(
    "Let clients of one wire speak to an endpoint on another. Calls go both ways, and every text passes unchanged; "
      + "only behind HTTP, where all clients share one connection of the endpoint, the ids of requests change on their way. "
      + "Prints one line when it is ready, as in: listening ws://127.0.0.1:41234"
  ),
  Command.withShortDescription("Let clients of one wire speak to an endpoint on another"),
  Command.withExamples([
    {
      command: "parley proxy --listen ws://127.0.0.1:0 \"stdio:node server.js\"",
      description: "Start a process for each WebSocket"
    },
    {
      command: "parley proxy --listen stdio: https://example.org/rpc --header 'Authorization: Bearer …'",
      description: "Be the stdio server of a program whose server is reached by HTTP"
    },
    { command: "parley proxy --listen tcp://127.0.0.1:4000 unix:/tmp/lsp.sock --endpoint-framing content-length" },
    {
      command: "parley proxy --listen http://127.0.0.1:4000/rpc tcp://127.0.0.1:1234 --dialect jsonRpc1",
      description: "Offer a server of Go's net/rpc/jsonrpc by HTTP"
    }
  ])
)

const tap = Command.make(
  "tap",
  {
    ...proxied,
    listen: Flag.String("listen").pipe(
      Flag.withMetavar("PLACE"),
      Flag.withDescription(`${somewhere}; without it, a free port of this machine`),
      Flag.optional
    ),
    record: Flag.String("record").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("Add every text to the end of a file, as JSON Lines"),
      Flag.optional
    )
  },
  (input) => Effect.flatMap(Effect.promise(() => import("./commands/tap.ts")), ({ tap }) => tap(input))
).pipe(
  Command.withDescription(
    "Stand between clients and an endpoint, as proxy does, and show what passes: one line per message with its time, "
      + "direction, method and id, and for responses how long they took. In a pipe each line is an object of JSON. "
      + "Where to connect to is told on stderr, as in: listening tcp://127.0.0.1:41234"
  ),
  Command.withShortDescription("Show what passes between clients and an endpoint"),
  Command.withExamples([
    { command: "parley tap tcp://127.0.0.1:4000" },
    { command: "parley tap http://127.0.0.1:8545 --record traffic.jsonl" },
    {
      command: "parley tap --listen stdio: \"stdio:typescript-language-server --stdio\" --dialect lsp",
      description: "Stand between an editor and its language server; the lines go to stderr"
    }
  ])
)

const openrpc = Command.make(
  "openrpc",
  {
    module: Argument.String("MODULE").pipe(
      Argument.withDescription("A path to a module, with #NAME where it exports more than one contract or protocol")
    )
  },
  (input) => Effect.flatMap(Effect.promise(() => import("./commands/openrpc.ts")), ({ openrpc }) => openrpc(input))
).pipe(
  Command.withDescription(
    "Print the OpenRPC document of a contract or protocol that a module exports. "
      + "If the module exports info, the document says that about itself."
  ),
  Command.withShortDescription("Print the OpenRPC document of a contract"),
  Command.withExamples([
    { command: "parley openrpc src/Bank.ts > openrpc.json" },
    { command: "parley openrpc src/protocols.ts#Editor" }
  ])
)

const codegen = Command.make(
  "codegen",
  {
    file: Argument.String("FILE").pipe(Argument.withDescription("A path to an OpenRPC document")),
    name: Flag.String("name").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("The name of the contract, where it is not what the document is called"),
      Flag.optional
    ),
    byPosition: Flag.Boolean("by-position").pipe(
      Flag.withDescription(
        "Whether params go by position where a method does not say; without it, where all of them are required"
      ),
      Flag.optional
    ),
    keepUnknown: Flag.Boolean("keep-unknown").pipe(
      Flag.withDescription(
        "Objects keep the members that the document does not describe; without it they leave them out"
      ),
      Flag.withDefault(false)
    ),
    ref: Flag.String("ref").pipe(
      Flag.withMetavar("URL=FILE"),
      Flag.withDescription(
        "Where a document lies that others refer to by a URL, or by a path from the document; with a slash at the end of both, a folder of them. "
          + "May be said more than once; files of the document's own folder are found without it"
      ),
      Flag.atLeast(0)
    ),
    out: Flag.String("out").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("Where to write the module; without it, to stdout"),
      Flag.optional
    )
  },
  (input) => Effect.flatMap(Effect.promise(() => import("./commands/codegen.ts")), ({ codegen }) => codegen(input))
).pipe(
  Command.withDescription(
    "Write a TypeScript module with the contract of an OpenRPC document. "
      + "What the contract does not check or has guessed is told on stderr, and at the beginning of the module. "
      + "Nothing is fetched."
  ),
  Command.withShortDescription("Write a contract from an OpenRPC document"),
  Command.withExamples([
    { command: "parley codegen openrpc.json --out src/Bank.ts" },
    { command: "parley codegen openrpc.json --name Bank" },
    { command: "parley codegen ethereum.json --by-position --out src/Ethereum.ts" },
    { command: "parley codegen api.json --ref https://example.org/types.json=types.json" }
  ])
)

/** The command with its subcommands. */
export const parley = Command.make("parley").pipe(
  Command.withDescription(
    "A specimen JSON-RPC 2.0 server, a caller, a proxy and a tap for any, OpenRPC for contracts, and MCP"
  ),
  Command.withSubcommands([serve, call, proxy, tap, openrpc, codegen, mcp])
)

/** The global flags that make sense here. */
export const config = CliConfig.make({
  builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions, GlobalFlag.LogLevel]
})

/** Help goes to stdout; what is wrong goes to stderr, with the way to the help instead of all of it. */
export const presenter: CliOutput.Presenter = {
  present: (event) =>
    event._tag !== "InvalidInvocation"
      ? CliOutput.defaultPresenter.present(event)
      : Console.error(
        `parley: ${problemOf(event.errors)} (hint: ${event.commandPath.join(" ")} --help shows what can be said)`
      )
}

/** The first thing that is wrong, in one line: what follows it is most often a consequence. */
const problemOf = ([first, second]: ReadonlyArray<CliError.CliError>): string => {
  if (first === undefined) return "the arguments are wrong"
  const [problem = ""] = first.message.split("\n")
  if (first._tag === "UnrecognizedOption" || first._tag === "UnknownSubcommand") {
    const [suggestion] = first.suggestions
    return suggestion === undefined ? problem : `${problem}; did you mean ${suggestion}?`
  }
  return second?._tag === "UnrecognizedOption" && first.message.startsWith("Missing value for flag")
    ? `${problem}; a value that begins with - is written behind =`
    : problem
}
