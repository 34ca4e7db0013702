/**
 * Words that several commands share.
 */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"

/** Where the other side is. */
export const endpoint = Argument.String("ENDPOINT").pipe(
  Argument.withDescription(
    "tcp://host:port, tls://host:port, unix:/path, \"stdio:command with arguments\", nats://host:port/subject, "
      + "or a URL of ws, wss, http or https"
  )
)

export const header = Flag.String("header").pipe(
  Flag.withMetavar("'NAME: VALUE'"),
  Flag.withDescription("A header for an endpoint of ws, wss, http or https; may be said more than once"),
  Flag.atLeast(0)
)

export const ca = Flag.String("ca").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription(
    "The authorities that tls, wss, https and nats trust, as PEM, in place of those that Node.js knows"
  ),
  Flag.optional
)

export const dialect = Flag.Literals("dialect", ["jsonRpc", "jsonRpc1", "lenient", "lsp", "ethereum"]).pipe(
  Flag.withDescription(
    "How the other side uses JSON-RPC: by version 2.0 or 1.0 of its specification, by 2.0 with whatever peers make of "
      + "it, or as language servers and Ethereum nodes do (default: jsonRpc)"
  ),
  Flag.withDefault("jsonRpc")
)

/** A time, without a default. */
export const time = Flag.String("timeout").pipe(Flag.withMetavar("TIME"))

export const timeout = time.pipe(
  Flag.withDescription("How long to wait, as in 500ms, 5s or 2m; none waits for ever (default: 30s)"),
  Flag.withDefault("30s")
)

const webMetavar = "HOST:PORT[/PATH]"

/** Where to serve. */
export const places = {
  stdio: Flag.Boolean("stdio").pipe(
    Flag.withDescription("Serve stdin and stdout, until stdin ends"),
    Flag.withDefault(false),
    Flag.withoutNegation
  ),
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
    Flag.withDescription("Listen for posts by HTTP"),
    Flag.optional
  ),
  nats: Flag.String("nats").pipe(
    Flag.withMetavar("nats://HOST:PORT/SUBJECT"),
    Flag.withDescription("Listen on a subject of NATS, beside others that do"),
    Flag.optional
  )
}
