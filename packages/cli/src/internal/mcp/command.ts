/**
 * The commands of `parley mcp`, with their arguments and flags.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { ca, endpoint, header, named, out, places, time, toggle, traced } from "../arguments/flags.ts"
import { loaded } from "../arguments/loaded.ts"
import { connect, dev } from "./bridge/command.ts"

/** The arguments and flags of every command that asks a server. */
const asking = {
  endpoint,
  json: toggle("json", "Print the result as the server sent it, as JSON; an error as {\"error\": …}"),
  protocolVersion: Flag.String("protocol-version").pipe(
    Flag.withMetavar("DATE"),
    Flag.withDescription("The version of MCP to use (default: the newest that both sides support)"),
    Flag.optional
  ),
  timeout: time.pipe(
    Flag.withDescription(
      "How long to wait without progress, as in 500ms, 5s or 2m; none waits without an end (default: 30s, and 60s for "
        + "the first response of a command, which a package runner may have to install)"
    ),
    Flag.optional
  ),
  header,
  ca,
  ...traced,
  env: Flag.String("env").pipe(
    Flag.withMetavar("NAME[=VALUE]"),
    Flag.withDescription(
      "Pass an environment variable to the command of the endpoint, with its current value if none is given; may be "
        + "repeated (default: only safe variables, such as PATH, HOME and LANG)"
    ),
    Flag.atLeast(0)
  ),
  envAll: toggle("env-all", "Pass all environment variables to the command of the endpoint")
}

const serve = Command.make(
  "serve",
  places,
  loaded(() => import("./commands/serve.ts").then(({ serve }) => serve))
).pipe(
  Command.withDescription(
    "Serve a server that uses every feature of MCP: the fixtures of the conformance suites, and the tools echo, add, "
      + "roll_dice, count_down and book_table. The default path of --http is /mcp. "
      + "A listener prints its address when it is ready, as in: listening http://127.0.0.1:41234/mcp"
  ),
  Command.withShortDescription("Serve a server that uses every feature of MCP"),
  Command.withExamples([
    { command: "parley mcp serve --stdio", description: "Serve the process that started this command" },
    { command: "parley mcp serve --http 127.0.0.1:0", description: "Serve Streamable HTTP on a free port" }
  ])
)

const gateway = Command.make(
  "gateway",
  {
    ...places,
    config: Argument.String("CONFIG").pipe(
      Argument.withDescription("A JSON file with the servers; it may be the file of another program with mcpServers")
    ),
    approve: toggle("approve", "Show all that the servers say, ask, write it to the file of `pins`, and exit"),
    yes: toggle("yes", "With --approve: approve what is shown without asking"),
    check: toggle(
      "check",
      "Reach each server, print what of it is not offered and why, and exit; with 2 if one is not in order"
    ),
    watch: toggle("watch", "Read the servers again when the configuration or the file of `pins` has changed"),
    withoutAuth: toggle("without-auth", "Listen beyond this machine although the configuration has no `auth`"),
    audit: Flag.String("audit").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("Append a line of JSON for each call: who, what, when, for how long, and how it ended"),
      Flag.optional
    ),
    auditArguments: toggle("audit-arguments", "With --audit: add the arguments of calls, which may be secret")
  },
  loaded(() => import("./commands/gateway.ts").then(({ gateway }) => gateway))
).pipe(
  Command.withDescription(
    "Serve several servers as one: the servers of the configuration, of any revision, over stdio or HTTP. A question of "
      + "a server reaches the client whose call has caused it. The default path of --http is /mcp; without a flag, the "
      + "gateway listens at `listen` of the configuration. It sends the tokens of parley mcp login to servers over HTTP, "
      + "and never those of a client."
  ),
  Command.withShortDescription("Serve several servers as one"),
  Command.withExamples([
    { command: "parley mcp gateway servers.json --http 127.0.0.1:4000", description: "Listen on a port" },
    { command: "parley mcp gateway servers.json --approve", description: "Show and approve what the servers say now" }
  ])
)

const list = Command.make(
  "list",
  {
    ...asking,
    kind: Argument.Literals("KIND", ["tools", "resources", "templates", "prompts"]).pipe(
      Argument.withDescription("The kind to list (default: all of them)"),
      Argument.optional
    )
  },
  loaded(() => import("./commands/list.ts").then(({ list }) => list))
).pipe(
  Command.withDescription("List what a server offers"),
  Command.withExamples([
    { command: "parley mcp list \"stdio:npx -y @modelcontextprotocol/server-everything\"" },
    { command: "parley mcp list http://127.0.0.1:3000/mcp tools --json" },
    {
      command: "parley mcp list http://127.0.0.1:3000/mcp --trace --show 'tools/*,http'",
      description: "Show the messages about tools, and what happens beside messages"
    }
  ])
)

const call = Command.make(
  "call",
  {
    ...asking,
    tool: Argument.String("TOOL").pipe(Argument.withDescription("The name of the tool")),
    args: named("The arguments of the tool"),
    out: out("the images, the audio and the binary resources of the result"),
    detach: toggle("detach", "Do not wait for a call that becomes a task, but print the id of the task")
  },
  loaded(() => import("./commands/call.ts").then(({ call }) => call))
).pipe(
  Command.withDescription(
    "Call a tool and print its result. The command reads each VALUE by the tool's input schema: a string as it is, a "
      + "number or a boolean by its type, a list or an object as JSON. Progress and log messages go to stderr. "
      + "The command asks the questions of the tool at the terminal, and declines them where there is none. "
      + "It waits for a call that becomes a task, and shows the id and the status of the task on stderr. "
      + "The exit code is 0 for a result, 1 for an error of the tool or the server, 2 when no response came, "
      + "and 64 when the arguments are wrong: stderr then lists those of the tool."
  ),
  Command.withShortDescription("Call a tool and print its result"),
  Command.withExamples([
    { command: "parley mcp call \"stdio:parley mcp serve --stdio\" add a=1 b=2" },
    { command: "parley mcp call http://127.0.0.1:3000/mcp add '{\"a\": 1, \"b\": 2}' --json" },
    { command: "parley mcp call http://127.0.0.1:3000/mcp test_image_content --out pixel.png" },
    {
      command:
        "parley mcp call https://example.org/mcp search query=effect --header-env 'Authorization: Bearer=API_TOKEN'"
    },
    { command: "parley mcp call https://example.org/mcp annotate text=@page.md tags:='[\"a\", \"b\"]'" }
  ])
)

const task = Command.make(
  "task",
  {
    ...asking,
    id: Argument.String("ID").pipe(Argument.withDescription("The id of the task")),
    action: Argument.Literals("ACTION", ["get", "wait", "cancel"]).pipe(
      Argument.withDescription("Show its status, wait for its result, or cancel it (default: get)"),
      Argument.optional
    ),
    out: out("the images, the audio and the binary resources of the result of wait")
  },
  loaded(() => import("./commands/task.ts").then(({ task }) => task))
).pipe(
  Command.withDescription(
    "Show, await or cancel a task that a call of a tool has become. The server chooses how long it keeps a task, also "
      + "after the end of the command that started it. While the command waits for a result, it asks the questions of the "
      + "task at the terminal. The exit codes are those of call."
  ),
  Command.withShortDescription("Show, await or cancel a task"),
  Command.withExamples([
    { command: "parley mcp task https://example.org/mcp 786512e2-9e0d-44bd-8f29-789f320fe840" },
    { command: "parley mcp task https://example.org/mcp 786512e2-9e0d-44bd-8f29-789f320fe840 wait" }
  ])
)

const read = Command.make(
  "read",
  {
    ...asking,
    uri: Argument.String("URI").pipe(Argument.withDescription("The URI of the resource")),
    out: out("the contents")
  },
  loaded(() => import("./commands/read.ts").then(({ read }) => read))
).pipe(
  Command.withDescription(
    "Read a resource. The command prints text. It describes other content on a terminal, and writes its bytes to a pipe."
  ),
  Command.withShortDescription("Read a resource"),
  Command.withExamples([
    { command: "parley mcp read http://127.0.0.1:3000/mcp test://static-text" },
    { command: "parley mcp read http://127.0.0.1:3000/mcp test://static-binary --out pixel.png" }
  ])
)

const watch = Command.make(
  "watch",
  {
    ...asking,
    uris: Argument.String("URI").pipe(
      Argument.withDescription("The URI of a resource to watch beside the lists"),
      Argument.atLeast(0)
    )
  },
  loaded(() => import("./commands/watch.ts").then(({ watch }) => watch))
).pipe(
  Command.withDescription(
    "Stay connected, and print a line when the list of tools, prompts or resources changes, and when one of the resources "
      + "does: in a pipe or with --json, one JSON object for each. Where the subscription had to be made again, a line says so. "
      + "The command ends with 0 at Ctrl-C, or with --timeout when nothing has changed for that time, and with 2 when the "
      + "server cannot be reached any more."
  ),
  Command.withShortDescription("Print the changes of a server as they come"),
  Command.withExamples([
    { command: "parley mcp watch http://127.0.0.1:3000/mcp" },
    { command: "parley mcp watch http://127.0.0.1:3000/mcp test://watched-resource --json" }
  ])
)

const prompt = Command.make(
  "prompt",
  {
    ...asking,
    name: Argument.String("NAME").pipe(Argument.withDescription("The name of the prompt")),
    args: named("The arguments of the prompt"),
    out: out("the images, the audio and the binary resources of the messages")
  },
  loaded(() => import("./commands/prompt.ts").then(({ prompt }) => prompt))
).pipe(
  Command.withDescription("Get a prompt with its arguments filled in, and print its messages"),
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
    prefix: Argument.String("PREFIX").pipe(Argument.withDescription("The beginning of its value; '' for none")),
    known: named("Other arguments whose values are known")
  },
  loaded(() => import("./commands/complete.ts").then(({ complete }) => complete))
).pipe(
  Command.withDescription("Print the completions of the beginning of an argument, one per line"),
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
    lint: toggle("lint", "List the parts of the tools that real models reject or lack; exit with 1 if there are any")
  },
  loaded(() => import("./commands/inspect.ts").then(({ inspect }) => inspect))
).pipe(
  Command.withDescription(
    "Show what a server offers: identity, revisions, capabilities, instructions, tools with their arguments, "
      + "resources, templates and prompts. The command tries each legacy revision with a connection of its own, unless "
      + "--protocol-version names one."
  ),
  Command.withShortDescription("Show the identity and the offer of a server"),
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
      Flag.withMetavar("ID"),
      Flag.withDescription("A client that the authorization server knows (default: the command registers one)"),
      Flag.optional
    ),
    scope: Flag.String("scope").pipe(
      Flag.withMetavar("SCOPE"),
      Flag.withDescription("A scope to request; may be repeated (default: the scopes that the server names)"),
      Flag.atLeast(0)
    ),
    patience: Flag.String("patience").pipe(
      Flag.withMetavar("TIME"),
      Flag.withDescription("How long to wait until the person has signed in (default: 5m)"),
      Flag.withDefault("5m")
    )
  },
  loaded(() => import("./account/login.ts").then(({ login }) => login))
).pipe(
  Command.withDescription(
    "Sign in to a server over HTTP. The command prints a page to open in a browser, and waits until the browser returns. "
      + "It keeps the tokens in files that only their owner can read, under $XDG_STATE_HOME/parley or "
      + "~/.local/state/parley. Every command uses and renews them."
  ),
  Command.withShortDescription("Sign in to a server"),
  Command.withExamples([{ command: "parley mcp login https://example.org/mcp" }])
)

const logout = Command.make(
  "logout",
  { endpoint: server },
  loaded(() => import("./account/logout.ts").then(({ logout }) => logout))
).pipe(Command.withDescription("Delete the tokens of a server"))

const whoami = Command.make(
  "whoami",
  { endpoint: server, json: asking.json },
  loaded(() => import("./account/whoami.ts").then(({ whoami }) => whoami))
).pipe(
  Command.withDescription(
    "Show the issuer, the scopes and the expiry of the tokens of a server. The exit code is 1 without a login."
  ),
  Command.withShortDescription("Show the tokens of a server")
)

/** The command with its subcommands. */
export const mcp = Command.make("mcp").pipe(
  Command.withDescription("The Model Context Protocol: a server to try clients with, and a client of any server"),
  Command.withSubcommands([
    serve,
    gateway,
    connect,
    dev,
    list,
    call,
    task,
    read,
    watch,
    prompt,
    complete,
    inspect,
    login,
    logout,
    whoami
  ])
)
