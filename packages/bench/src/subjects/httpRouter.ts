/**
 * Routes on Effect's HTTP server.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import { createServer } from "node:http"

/** Serves on a free port of 127.0.0.1, and gives it. */
export const serveRoutes = <E>(routes: Layer.Layer<never, E, HttpRouter.HttpRouter>): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.on("listening", () => {
      const address = server.address()
      resolve(address !== null && typeof address === "object" ? address.port : 0)
    })
    const app = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true })
    Effect.runFork(
      Layer.launch(Layer.provide(app, NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1" })))
    )
  })
