/**
 * The commands of bridges, with their arguments and flags.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { ca, header } from "../../arguments/flags.ts"
import { loaded } from "../../arguments/loaded.ts"

const listen = Flag.String("listen").pipe(
  Flag.withMetavar("PLACE"),
  Flag.withDescription(
    "Where clients connect: stdio:, http://HOST:PORT/PATH, ws://HOST:PORT, tcp://HOST:PORT or unix:PATH (default: stdio:)"
  ),
  Flag.withDefault("stdio:")
)

export const connect = Command.make(
  "connect",
  {
    endpoint: Argument.String("ENDPOINT").pipe(
      Argument.withDescription("The endpoint of the server, or the command that starts it, after --"),
      Argument.atLeast(1)
    ),
    listen,
    header,
    ca
  },
  loaded(() => import("./connect.ts").then(({ connect }) => connect))
).pipe(
  Command.withDescription(
    "Serve one server, wherever it is, to a host that starts commands: for a URL, with the tokens of parley mcp login; for a "
      + "command, with all environment variables of this one. Client and server may speak different revisions of MCP. The "
      + "command serves at once, reaches the server again when it is gone, and says on stderr what it does."
  ),
  Command.withShortDescription("Serve one server, wherever it is, to a host"),
  Command.withExamples([
    { command: "parley mcp connect https://example.org/mcp", description: "The line for the configuration of a host" },
    { command: "parley mcp connect -- node server.js --verbose" },
    {
      command:
        "parley mcp connect --listen http://127.0.0.1:3000/mcp -- npx -y @modelcontextprotocol/server-everything",
      description: "Serve a server of stdio over HTTP, with a process for each session"
    }
  ])
)

export const dev = Command.make(
  "dev",
  {
    command: Argument.String("COMMAND").pipe(
      Argument.withDescription("The command that starts the server, after --; or \"stdio:COMMAND\""),
      Argument.atLeast(1)
    ),
    watch: Flag.String("watch").pipe(
      Flag.withMetavar("PATH"),
      Flag.withDescription(
        "A file or folder to watch; may be repeated (default: the folders of the files in the command, else this one)"
      ),
      Flag.atLeast(0)
    ),
    listen
  },
  loaded(() => import("./development/dev.ts").then(({ dev }) => dev))
).pipe(
  Command.withDescription(
    "Start a server again when its files change, and keep its clients. Sessions and subscriptions live on, and clients hear of "
      + "the lists that differ. A call in flight ends with an error, and none runs twice; a call that comes meanwhile waits. A "
      + "server that does not start says why in its instructions and in each call. Folders that are hidden, installed or built "
      + "are not watched. What the server writes to stderr and what dev does are one view on stderr."
  ),
  Command.withShortDescription("Start a server again when its files change, and keep its clients"),
  Command.withExamples([
    {
      command: "parley mcp dev -- node src/server.ts",
      description: "The command for a host, in place of the server's own"
    },
    { command: "parley mcp dev --watch src --listen http://127.0.0.1:3000/mcp -- node src/server.ts" }
  ])
)
