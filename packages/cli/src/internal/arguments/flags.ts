/**
 * Arguments and flags that several commands share.
 */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"

/** The address of the peer. */
export const endpoint = Argument.String("ENDPOINT").pipe(
  Argument.withDescription(
    "tcp://host:port, tls://host:port, unix:/path, \"stdio:command with arguments\", nats://host:port/subject, "
      + "or a URL of ws, wss, http or https"
  )
)

/** The address of the peer, or a command word by word. */
export const endpointOrCommand = Argument.String("ENDPOINT").pipe(
  Argument.withDescription(
    "As for call, such as tcp://host:port, a URL or \"stdio:command with arguments\"; or a command and each of its arguments, after --"
  ),
  Argument.atLeast(0)
)

/** The framings of the dialects, as in `framings.ofDialect`. */
export const usualFramings = "content-length for the dialect lsp, concatenated for ethereum, line for the others"

/** How a stream separates messages; the description says which stream. */
export const framing = (
  description: string,
  { name = "framing", usual = "that of the dialect" }: { readonly name?: string; readonly usual?: string } = {}
) =>
  Flag.Literals(name, ["line", "content-length", "concatenated"]).pipe(
    Flag.withMetavar("FRAMING"),
    Flag.withDescription(`${description} (default: ${usual})`),
    Flag.optional
  )

const words = "NAME=TEXT, NAME:=JSON, NAME=@FILE or NAME:=@FILE for each; or one JSON object, @FILE with one, or - for "
  + "one on stdin"

/** The arguments of a command that takes only those with names. */
export const named = (description: string) =>
  Argument.String("NAME=VALUE").pipe(Argument.withDescription(`${description}: ${words}`), Argument.atLeast(0))

/** The params of a method. */
export const params = Argument.String("PARAMS").pipe(
  Argument.withDescription(`${words}; a JSON array, or its values. Without them, the request has no params`),
  Argument.atLeast(0)
)

/** A flag that is off unless it is given. */
export const toggle = (name: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false), Flag.withoutNegation)

/** Headers, whose values may be secrets: those of an argument are seen by every user of a machine. */
export const header = {
  typed: Flag.String("header").pipe(
    Flag.withMetavar("'NAME: VALUE'"),
    Flag.withDescription("A header for an endpoint of ws, wss, http or https; may be repeated"),
    Flag.atLeast(0)
  ),
  file: Flag.String("header-file").pipe(
    Flag.withMetavar("NAME=FILE"),
    Flag.withDescription(
      "A header whose value is in a file; 'NAME: PREFIX=FILE' puts a word before it, as in 'Authorization: Bearer=FILE'; "
        + "may be repeated"
    ),
    Flag.atLeast(0)
  ),
  env: Flag.String("header-env").pipe(
    Flag.withMetavar("NAME=VARIABLE"),
    Flag.withDescription(
      "A header whose value is in an environment variable; 'NAME: PREFIX=VARIABLE' puts a word before it; may be repeated"
    ),
    Flag.atLeast(0)
  )
}

export const ca = Flag.String("ca").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription(
    "A PEM file with the authorities that tls, wss, https and nats trust, instead of those of Node.js"
  ),
  Flag.optional
)

/** Where binary content goes. */
export const out = (what: string) =>
  Flag.String("out").pipe(
    Flag.withAlias("o"),
    Flag.withMetavar("FILE"),
    Flag.withDescription(
      `Write ${what} to FILE, which is replaced; several files are numbered. In a folder, which is made if FILE ends with `
        + "/, each file is named by its type"
    ),
    Flag.optional
  )

export const dialect = Flag.Literals("dialect", ["jsonRpc", "jsonRpc1", "lenient", "lsp", "ethereum"]).pipe(
  Flag.withMetavar("DIALECT"),
  Flag.withDescription(
    "How the peer uses JSON-RPC: version 2.0, version 1.0, 2.0 with common deviations, as language servers do, or as "
      + "Ethereum nodes do (default: jsonRpc)"
  ),
  Flag.withDefault("jsonRpc")
)

const place = "tcp://HOST:PORT, unix:PATH, stdio:, ws://HOST:PORT[/PATH], http://HOST:PORT[/PATH] or "
  + "nats://HOST:PORT/SUBJECT"

/** Where the clients of a proxy connect. */
export const listen = (more: string) =>
  Flag.String("listen").pipe(
    Flag.withMetavar("PLACE"),
    Flag.withDescription(`Where clients connect: ${place}${more}`)
  )

/** A command that connects clients to an endpoint. */
export const proxied = {
  dialect,
  framing: framing("How the streams of clients separate messages", { usual: usualFramings }),
  endpointFraming: framing("How the stream of ENDPOINT separates messages", {
    name: "endpoint-framing",
    usual: usualFramings
  }),
  header,
  ca,
  login: toggle(
    "login",
    "From HTTP to HTTP: send the tokens of parley mcp login with the requests of clients that have no Authorization"
  )
}

/** A proxy that shows or records what passes. */
export const tapped = {
  ...proxied,
  endpoint: endpointOrCommand,
  listen: Flag.optional(listen(" (default: a free port of this machine)")),
  redact: Flag.String("redact").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("A member or header whose value is a secret, too; may be repeated"),
    Flag.atLeast(0)
  )
}

/** Which messages are shown. */
export const shown = {
  show: Flag.String("show").pipe(
    Flag.withMetavar("FILTER"),
    Flag.withDescription(
      "Show only what one of these terms names, separated by commas: patterns of methods with *, and the kinds request, "
        + "result, error, notification, invalid, http and end. ! before a term leaves out what it names; a response has "
        + "the method of its request"
    ),
    Flag.optional
  ),
  secrets: toggle("secrets", "Show secrets, which are replaced otherwise, and record them")
}

/** A command that shows its own messages. */
export const traced = {
  ...shown,
  trace: toggle("trace", "Show every message on stderr, as parley tap does; --show does, too")
}

/** A duration, without a default. */
export const time = Flag.String("timeout").pipe(Flag.withMetavar("TIME"))

export const timeout = time.pipe(
  Flag.withDescription(
    "How long to wait for the response, as in 500ms, 5s or 2m; none waits without an end (default: 30s). With --follow, also "
      + "how long to wait for each notification after it (default: none)"
  ),
  Flag.optional
)

const webMetavar = "HOST:PORT[/PATH]"

/** The places where a server listens. */
export const places = {
  stdio: toggle("stdio", "Serve on stdin and stdout until stdin ends"),
  tcp: Flag.String("tcp").pipe(
    Flag.withMetavar("HOST:PORT"),
    Flag.withDescription("Listen on a TCP port; port 0 picks a free one"),
    Flag.optional
  ),
  unix: Flag.String("unix").pipe(
    Flag.withMetavar("PATH"),
    Flag.withDescription("Listen on a Unix socket"),
    Flag.optional
  ),
  ws: Flag.String("ws").pipe(
    Flag.withMetavar(webMetavar),
    Flag.withDescription("Listen for WebSockets"),
    Flag.optional
  ),
  http: Flag.String("http").pipe(
    Flag.withMetavar(webMetavar),
    Flag.withDescription("Listen for HTTP POST requests"),
    Flag.optional
  ),
  nats: Flag.String("nats").pipe(
    Flag.withMetavar("nats://HOST:PORT/SUBJECT"),
    Flag.withDescription("Listen on a subject of NATS, together with other servers of the subject"),
    Flag.optional
  )
}
