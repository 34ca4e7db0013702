/**
 * The commands, their arguments and their flags.
 */
import * as Argument from "effect/cli/Argument"
import * as CliConfig from "effect/cli/CliConfig"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { ca, dialect, endpoint, header, params, places, shown, timeout, toggle, traced } from "./arguments/flags.ts"
import * as flags from "./arguments/flags.ts"
import { loaded } from "./arguments/loaded.ts"
import { conform } from "./conform/command.ts"
import { diff, lock } from "./diff/command.ts"
import { mcp } from "./mcp/command.ts"
import { mock, record, replay } from "./replay/command.ts"

const framing = flags.framing(
  "How a stream separates messages: one per line, after a Content-Length header, or one JSON value after the other",
  { usual: flags.usualFramings }
)

const serve = Command.make(
  "serve",
  {
    ...places,
    dialect,
    framing
  },
  loaded(() => import("./commands/serve.ts").then(({ serve }) => serve))
).pipe(
  Command.withDescription(
    "Serve the specimen methods: echo, subtract, sum, get_data, fail, crash, sleep and callback, "
      + "and the notifications update, notify_hello and notify_sum. "
      + "A listener prints its address when it is ready, as in: listening tcp://127.0.0.1:41234"
  ),
  Command.withShortDescription("Serve the specimen methods"),
  Command.withExamples([
    { command: "parley serve --stdio", description: "Serve the process that started this command" },
    { command: "parley serve --tcp 127.0.0.1:0", description: "Listen on a free port of this machine" },
    { command: "parley serve --unix /tmp/parley.sock --framing content-length" },
    { command: "parley serve --http 127.0.0.1:0/rpc", description: "Listen for HTTP at a path" },
    { command: "parley serve --nats nats://127.0.0.1:4222/specimen", description: "Listen on a subject of NATS" }
  ])
)

const call = Command.make(
  "call",
  {
    endpoint,
    method: Argument.String("METHOD").pipe(Argument.withDescription("The method to call")),
    params,
    notify: toggle("notify", "Send a notification, which has no response"),
    follow: toggle(
      "follow",
      "Stay after the result, and print each notification of the peer as one JSON object, until Ctrl-C, or until nothing "
        + "has come for the time of --timeout"
    ),
    timeout,
    dialect,
    framing,
    header,
    ca,
    json: toggle("json", "Print one JSON object, {\"result\": …} or {\"error\": …}, on stdout"),
    ...traced
  },
  loaded(() => import("./commands/call.ts").then(({ call }) => call))
).pipe(
  Command.withDescription(
    "Call a method and print its result. The exit code is 0 for a result, 1 for an error response, "
      + "2 when no response came, and 64 when the arguments are wrong. "
      + "While the command waits, it serves the method echo to the peer. HTTP and single messages of NATS have no way "
      + "back; a nats URL that ends with ?conversation opens a conversation, which has one. "
      + "The user of NATS comes from the URL, else from the file NATS_CREDS, else from NATS_USER and NATS_PASSWORD, "
      + "else from NATS_TOKEN."
  ),
  Command.withShortDescription("Call a method and print its result"),
  Command.withExamples([
    { command: "parley call tcp://127.0.0.1:4000 subtract '[42, 23]'" },
    { command: "parley call tcp://127.0.0.1:4000 subtract 42 23", description: "The same, value by value" },
    { command: "parley call tcp://127.0.0.1:4000 subtract minuend:=42 subtrahend:=23" },
    { command: "parley call tcp://127.0.0.1:4000 import rows:=@rows.json comment=@comment.txt" },
    { command: "parley call \"stdio:parley serve --stdio\" echo '{\"text\":\"hi\"}' --trace" },
    { command: "parley call unix:/tmp/parley.sock update '[1, 2]' --notify" },
    { command: "parley call ws://127.0.0.1:8546 eth_subscribe newHeads --follow", description: "Print what follows" },
    { command: "parley call https://example.org/rpc echo --header-env 'Authorization: Bearer=API_TOKEN'" },
    { command: "parley call nats://127.0.0.1:4222/bank balance '{\"account\":\"alice\"}'" },
    {
      command: "parley call tcp://127.0.0.1:1234 Arith.Multiply '[{\"A\": 7, \"B\": 6}]' --dialect jsonRpc1",
      description: "Call a server of Go's net/rpc/jsonrpc"
    }
  ])
)

const proxy = Command.make(
  "proxy",
  {
    ...flags.proxied,
    endpoint,
    listen: flags.listen("; port 0 picks a free one")
  },
  loaded(() => import("./commands/proxy.ts").then(({ proxy }) => proxy))
).pipe(
  Command.withDescription(
    "Connect clients on one wire to an endpoint on another. Calls go both ways, and every message passes unchanged. "
      + "Clients over HTTP share one connection to an endpoint that is not HTTP, on which the proxy replaces the ids of "
      + "requests. From HTTP to HTTP, requests and answers pass as they are, with their headers and streams. "
      + "The command prints its address when it is ready, as in: listening ws://127.0.0.1:41234"
  ),
  Command.withShortDescription("Connect clients on one wire to an endpoint on another"),
  Command.withExamples([
    {
      command: "parley proxy --listen ws://127.0.0.1:0 \"stdio:node server.js\"",
      description: "Start a process for each WebSocket"
    },
    {
      command: "parley proxy --listen stdio: https://example.org/rpc --header 'Authorization: Bearer …'",
      description: "Offer a server over HTTP to a program that starts stdio servers"
    },
    { command: "parley proxy --listen tcp://127.0.0.1:4000 unix:/tmp/lsp.sock --endpoint-framing content-length" },
    {
      command: "parley proxy --listen http://127.0.0.1:4000/rpc tcp://127.0.0.1:1234 --dialect jsonRpc1",
      description: "Offer a server of Go's net/rpc/jsonrpc over HTTP"
    }
  ])
)

const tap = Command.make(
  "tap",
  {
    ...flags.tapped,
    record: Flag.String("record").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("Append every message to a file, as JSON Lines"),
      Flag.optional
    ),
    wrap: Flag.String("wrap").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("Put a tap before the servers of a host's configuration, which then records their messages"),
      Flag.optional
    ),
    unwrap: Flag.String("unwrap").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("Take it away again, and leave the file as it was"),
      Flag.optional
    ),
    server: Flag.String("server").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("A server of the configuration; may be repeated (default: all)"),
      Flag.atLeast(0)
    ),
    wrapped: Flag.String("wrapped").pipe(
      Flag.withMetavar("MEMBERS"),
      Flag.withDescription("What --wrap has changed, and --unwrap changes back; a tap does nothing with it"),
      Flag.optional
    ),
    ...shown
  },
  loaded(() => import("./commands/tap.ts").then(({ tap }) => tap))
).pipe(
  Command.withDescription(
    "Connect clients to an endpoint, as proxy does, and show the messages: one line each, with its time, "
      + "direction, method and id, and the duration of a response. In a pipe each line is a JSON object. Secrets are "
      + "replaced. "
      + "The command prints its address on stderr, as in: listening tcp://127.0.0.1:41234"
  ),
  Command.withShortDescription("Show the messages between clients and an endpoint"),
  Command.withExamples([
    { command: "parley tap tcp://127.0.0.1:4000" },
    { command: "parley tap http://127.0.0.1:8545 --record traffic.jsonl --redact pin" },
    {
      command: "parley tap http://127.0.0.1:3000/mcp --show 'tools/*,error,http'",
      description: "Show the calls of tools between an MCP client and its server, with errors and sessions"
    },
    {
      command: "parley tap --listen stdio: \"stdio:typescript-language-server --stdio\" --dialect lsp",
      description: "Show the messages between an editor and its language server, on stderr"
    },
    { command: "parley tap --listen stdio: -- node server.js --verbose", description: "Give a command word by word" },
    {
      command: "parley tap --wrap ~/.cursor/mcp.json --server files",
      description: "See what a host and its server say; --unwrap takes it away"
    }
  ])
)

const openrpc = Command.make(
  "openrpc",
  {
    module: Argument.String("MODULE").pipe(
      Argument.withDescription("A path to a module, with #NAME if it exports more than one contract or protocol")
    )
  },
  loaded(() => import("./commands/openrpc.ts").then(({ openrpc }) => openrpc))
).pipe(
  Command.withDescription(
    "Print the OpenRPC document of a contract or protocol that a module exports. "
      + "If the module exports `info`, the document takes its title and version from there."
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
      Flag.withDescription("The name of the contract (default: the title of the document)"),
      Flag.optional
    ),
    byPosition: Flag.Boolean("by-position").pipe(
      Flag.withDescription(
        "Send params by position where a method does not say how, and by name with --no-by-position (default: by position if all are required)"
      ),
      Flag.optional
    ),
    keepUnknown: Flag.Boolean("keep-unknown").pipe(
      Flag.withDescription(
        "Keep the members of objects that the document does not describe (default: leave them out)"
      ),
      Flag.withDefault(false)
    ),
    ref: Flag.String("ref").pipe(
      Flag.withMetavar("URL=FILE"),
      Flag.withDescription(
        "The file of another document that a reference names by its URL, or by its path from the document; URL/=FOLDER/ for "
          + "a whole folder; may be repeated. Files of the document's own folder need no flag"
      ),
      Flag.atLeast(0)
    ),
    out: Flag.String("out").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("The file to write (default: stdout)"),
      Flag.optional
    )
  },
  loaded(() => import("./commands/codegen.ts").then(({ codegen }) => codegen))
).pipe(
  Command.withDescription(
    "Write a TypeScript module with the contract of an OpenRPC document. "
      + "Stderr and the beginning of the module list each part that the contract guesses or does not check. "
      + "The command fetches nothing from the network."
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
    "Call, serve, proxy, watch, test and mock JSON-RPC 2.0 over any wire; convert and compare contracts and OpenRPC; "
      + "use and serve the Model Context Protocol"
  ),
  Command.withSubcommands([serve, call, proxy, tap, conform, diff, lock, record, replay, mock, openrpc, codegen, mcp]),
  Command.withExamples([
    {
      command: "parley call \"stdio:parley serve --stdio\" subtract '[42, 23]'",
      description: "Start a server of the specimen methods, and call one of them"
    },
    {
      command: "parley tap tcp://127.0.0.1:4000",
      description: "Show the messages between a server and its clients"
    },
    {
      command: "parley mcp inspect \"stdio:parley mcp serve --stdio\"",
      description: "Show what an MCP server offers"
    },
    { command: "parley conform -- node server.js", description: "Look whether a server keeps its specifications" },
    { command: "parley --completions bash > parley.bash", description: "Write the completions of a shell to a file" }
  ])
)

/** The global flags of the command. */
export const config = CliConfig.make({
  builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions, GlobalFlag.LogLevel]
})
