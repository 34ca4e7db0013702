/**
 * The words of `parley mcp`. As for the other commands, what they do is loaded when it is needed.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { ca, endpoint, header, places, time } from "../arguments/flags.ts"

/** What every command says that has a server to ask. */
const asking = {
  endpoint,
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one value of JSON, as the server has it"),
    Flag.withDefault(false),
    Flag.withoutNegation
  ),
  revision: Flag.String("revision").pipe(
    Flag.withMetavar("DATE"),
    Flag.withDescription("The revision of MCP to speak; without it, the newest that both sides have"),
    Flag.optional
  ),
  timeout: time.pipe(
    Flag.withDescription(
      "How long to wait without progress, as in 500ms, 5s or 2m; none waits for ever (default: 30s, and 60s for the "
        + "first answer of a command, which may have to be installed)"
    ),
    Flag.optional
  ),
  header,
  ca,
  env: Flag.String("env").pipe(
    Flag.withMetavar("NAME[=VALUE]"),
    Flag.withDescription(
      "A variable for a command, ours where no value is said; may be said more than once. Without it, a command gets those "
        + "that tell where things are, who we are and in which language"
    ),
    Flag.atLeast(0)
  ),
  envAll: Flag.Boolean("env-all").pipe(
    Flag.withDescription("Pass all of our variables to a command"),
    Flag.withDefault(false),
    Flag.withoutNegation
  )
}

const pairs = (description: string) =>
  Argument.String("NAME=VALUE").pipe(Argument.withDescription(description), Argument.atLeast(0))

const serve = Command.make(
  "serve",
  places,
  (input) => Effect.flatMap(Effect.promise(() => import("./commands/serve.ts")), ({ serve }) => serve(input))
).pipe(
  Command.withDescription(
    "Serve a server that has everything: the fixtures of the conformance suites, and the tools echo, add, roll_dice, "
      + "count_down and book_table. The usual path of --http is /mcp. "
      + "A socket prints one line when it is ready, as in: listening http://127.0.0.1:41234/mcp"
  ),
  Command.withShortDescription("Serve a server that has everything"),
  Command.withExamples([
    { command: "parley mcp serve --stdio", description: "Serve the process that started this one" },
    { command: "parley mcp serve --http 127.0.0.1:0", description: "Serve Streamable HTTP at a free port" }
  ])
)

const gateway = Command.make(
  "gateway",
  {
    ...places,
    config: Argument.String("CONFIG").pipe(
      Argument.withDescription("A file of JSON with the servers; the mcpServers of other programs are read as they are")
    ),
    approve: Flag.Boolean("approve").pipe(
      Flag.withDescription("Approve the tools of all servers as they are now, in the file that `pins` names, and end"),
      Flag.withDefault(false),
      Flag.withoutNegation
    )
  },
  (input) => Effect.flatMap(Effect.promise(() => import("./commands/gateway.ts")), ({ gateway }) => gateway(input))
).pipe(
  Command.withDescription(
    "Serve several servers as one: those of the configuration, of any revision, over stdio or HTTP. What they ask reaches "
      + "the client whose call has caused it. The usual path of --http is /mcp, and `listen` of the configuration is where "
      + "it serves without a flag. A server over HTTP gets the tokens of parley mcp login, and never those of a client."
  ),
  Command.withShortDescription("Serve several servers as one"),
  Command.withExamples([
    { command: "parley mcp gateway servers.json --http 127.0.0.1:4000", description: "Serve at a port" },
    { command: "parley mcp gateway servers.json --approve", description: "Approve the tools as they are" }
  ])
)

const list = Command.make(
  "list",
  {
    ...asking,
    kind: Argument.Literals("KIND", ["tools", "resources", "templates", "prompts"]).pipe(
      Argument.withDescription("What to list; without it, everything"),
      Argument.optional
    )
  },
  (input) => Effect.flatMap(Effect.promise(() => import("./commands/list.ts")), ({ list }) => list(input))
).pipe(
  Command.withDescription("List what a server offers"),
  Command.withExamples([
    { command: "parley mcp list \"stdio:npx -y @modelcontextprotocol/server-everything\"" },
    { command: "parley mcp list http://127.0.0.1:3000/mcp tools --json" }
  ])
)

const call = Command.make(
  "call",
  {
    ...asking,
    tool: Argument.String("TOOL").pipe(Argument.withDescription("The name of the tool")),
    args: Argument.String("ARGUMENTS").pipe(
      Argument.withDescription("An object of JSON, or NAME=VALUE for each argument"),
      Argument.atLeast(0)
    ),
    detach: Flag.Boolean("detach").pipe(
      Flag.withDescription("Leave a call alone that becomes a task, and print the id of the task"),
      Flag.withDefault(false),
      Flag.withoutNegation
    )
  },
  (input) => Effect.flatMap(Effect.promise(() => import("./commands/call.ts")), ({ call }) => call(input))
).pipe(
  Command.withDescription(
    "Call a tool and print what it answers. A VALUE is read as the tool's input schema says: text as it is, numbers and "
      + "booleans as such, lists and objects as JSON. Progress and log messages go to stderr. "
      + "What the tool asks is asked at the terminal; without one it is declined. "
      + "A call that becomes a task is waited for, and stderr has its id and its status. "
      + "The exit code is 0 for a result, 1 for an error of the tool or the server, 2 when no answer came, "
      + "and 64 when the arguments are wrong: then stderr says which the tool takes."
  ),
  Command.withShortDescription("Call a tool and print what it answers"),
  Command.withExamples([
    { command: "parley mcp call \"stdio:parley mcp serve --stdio\" add a=1 b=2" },
    { command: "parley mcp call http://127.0.0.1:3000/mcp add '{\"a\": 1, \"b\": 2}' --json" },
    { command: "parley mcp call https://example.org/mcp search query=effect --header 'Authorization: Bearer …'" }
  ])
)

const task = Command.make(
  "task",
  {
    ...asking,
    id: Argument.String("ID").pipe(Argument.withDescription("The id of the task")),
    wish: Argument.Literals("WISH", ["get", "wait", "cancel"]).pipe(
      Argument.withDescription("Show its status (without a word), wait for its result, or cancel it"),
      Argument.optional
    )
  },
  (input) => Effect.flatMap(Effect.promise(() => import("./commands/task.ts")), ({ task }) => task(input))
).pipe(
  Command.withDescription(
    "Take up a task that a call of a tool has become. The server keeps it for a time of its own, also when the command that "
      + "began it has ended. What the task asks is asked at the terminal while somebody waits for its result. The exit codes "
      + "are those of call."
  ),
  Command.withShortDescription("Take up a task that a call has become"),
  Command.withExamples([
    { command: "parley mcp task https://example.org/mcp 786512e2-9e0d-44bd-8f29-789f320fe840" },
    { command: "parley mcp task https://example.org/mcp 786512e2-9e0d-44bd-8f29-789f320fe840 wait" }
  ])
)

const read = Command.make(
  "read",
  {
    ...asking,
    uri: Argument.String("URI").pipe(Argument.withDescription("The URI of the resource"))
  },
  (input) => Effect.flatMap(Effect.promise(() => import("./commands/read.ts")), ({ read }) => read(input))
).pipe(
  Command.withDescription("Read a resource. Text is printed, and of anything else what it is; in a pipe, its bytes."),
  Command.withShortDescription("Read a resource"),
  Command.withExamples([
    { command: "parley mcp read http://127.0.0.1:3000/mcp test://static-text" },
    { command: "parley mcp read http://127.0.0.1:3000/mcp test://static-binary > pixel.png" }
  ])
)

const prompt = Command.make(
  "prompt",
  {
    ...asking,
    name: Argument.String("NAME").pipe(Argument.withDescription("The name of the prompt")),
    args: pairs("The arguments of the prompt")
  },
  (input) => Effect.flatMap(Effect.promise(() => import("./commands/prompt.ts")), ({ prompt }) => prompt(input))
).pipe(
  Command.withDescription("Get a prompt with its arguments filled in, and print its messages."),
  Command.withShortDescription("Get a prompt with its arguments filled in"),
  Command.withExamples([
    { command: "parley mcp prompt http://127.0.0.1:3000/mcp test_prompt_with_arguments arg1=one arg2=two" }
  ])
)

const complete = Command.make(
  "complete",
  {
    ...asking,
    ref: Argument.String("REF").pipe(
      Argument.withDescription("prompt:NAME, or the URI template of resources")
    ),
    argument: Argument.String("ARGUMENT").pipe(
      Argument.withDescription("An argument of the prompt, or a variable of the template")
    ),
    prefix: Argument.String("PREFIX").pipe(Argument.withDescription("What is typed of it; '' for nothing")),
    known: pairs("Other arguments that are filled in already")
  },
  (input) => Effect.flatMap(Effect.promise(() => import("./commands/complete.ts")), ({ complete }) => complete(input))
).pipe(
  Command.withDescription("Print what the beginning of an argument may be completed to, a value a line."),
  Command.withShortDescription("Complete an argument"),
  Command.withExamples([
    { command: "parley mcp complete http://127.0.0.1:3000/mcp prompt:test_prompt_with_arguments arg1 par" },
    { command: "parley mcp complete http://127.0.0.1:3000/mcp 'test://template/{id}/data' id 1" }
  ])
)

const inspect = Command.make(
  "inspect",
  {
    ...asking,
    lint: Flag.Boolean("lint").pipe(
      Flag.withDescription("Say what real models refuse of the tools, or miss; exit with 1 where there is something"),
      Flag.withDefault(false),
      Flag.withoutNegation
    )
  },
  (input) => Effect.flatMap(Effect.promise(() => import("./commands/inspect.ts")), ({ inspect }) => inspect(input))
).pipe(
  Command.withDescription(
    "Show who a server is: identity, revisions, capabilities, instructions, tools with their arguments, "
      + "resources, templates and prompts. Each legacy revision is tried by a connection of its own, unless --revision "
      + "names one."
  ),
  Command.withShortDescription("Show who a server is and what it offers"),
  Command.withExamples([
    { command: "parley mcp inspect \"stdio:parley mcp serve --stdio\"" },
    { command: "parley mcp inspect --lint \"stdio:parley mcp serve --stdio\"" }
  ])
)

const server = Argument.String("URL").pipe(Argument.withDescription("The URL of the server"))

const login = Command.make(
  "login",
  {
    ...asking,
    endpoint: server,
    clientId: Flag.String("client-id").pipe(
      Flag.withDescription("The client that the authorization server knows, where it registers none by itself"),
      Flag.optional
    ),
    scope: Flag.String("scope").pipe(
      Flag.withDescription("A scope to ask for, instead of those that the server names; may be said more than once"),
      Flag.atLeast(0)
    ),
    patience: Flag.String("patience").pipe(
      Flag.withMetavar("TIME"),
      Flag.withDescription("How long to wait for the person (default: 5m)"),
      Flag.withDefault("5m")
    )
  },
  (input) => Effect.flatMap(Effect.promise(() => import("./commands/login.ts")), ({ login }) => login(input))
).pipe(
  Command.withDescription(
    "Sign in to a server over HTTP. It prints a page to open in a browser, and waits until the browser comes back. The "
      + "tokens are kept in files that only their owner can read, under $XDG_STATE_HOME/parley or ~/.local/state/parley. "
      + "Every command uses and renews them."
  ),
  Command.withShortDescription("Sign in to a server"),
  Command.withExamples([{ command: "parley mcp login https://example.org/mcp" }])
)

const logout = Command.make(
  "logout",
  { endpoint: server },
  (input) => Effect.flatMap(Effect.promise(() => import("./commands/logout.ts")), ({ logout }) => logout(input))
).pipe(Command.withDescription("Forget the tokens for a server."))

const whoami = Command.make(
  "whoami",
  { endpoint: server, json: asking.json },
  (input) => Effect.flatMap(Effect.promise(() => import("./commands/whoami.ts")), ({ whoami }) => whoami(input))
).pipe(
  Command.withDescription(
    "Show who has issued the tokens for a server, for which scopes and until when. The exit code is 1 where nobody is "
      + "signed in."
  ),
  Command.withShortDescription("Show which tokens there are for a server")
)

/** The command with its subcommands. */
export const mcp = Command.make("mcp").pipe(
  Command.withDescription("The Model Context Protocol: a server to try clients with, and a client of any server"),
  Command.withSubcommands([serve, gateway, list, call, task, read, prompt, complete, inspect, login, logout, whoami])
)
