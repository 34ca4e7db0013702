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

/** A flag that is off unless it is given. */
export const toggle = (name: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false), Flag.withoutNegation)

export const header = Flag.String("header").pipe(
  Flag.withMetavar("'NAME: VALUE'"),
  Flag.withDescription("A header for an endpoint of ws, wss, http or https; may be repeated"),
  Flag.atLeast(0)
)

export const ca = Flag.String("ca").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription(
    "A PEM file with the authorities that tls, wss, https and nats trust, instead of those of Node.js"
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

/** A duration, without a default. */
export const time = Flag.String("timeout").pipe(Flag.withMetavar("TIME"))

export const timeout = time.pipe(
  Flag.withDescription(
    "How long to wait for the response, as in 500ms, 5s or 2m; none waits without an end (default: 30s)"
  ),
  Flag.withDefault("30s")
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
