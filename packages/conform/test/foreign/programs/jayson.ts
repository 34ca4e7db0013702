/** A server of jayson over HTTP, or with `--tcp` over a socket, where it tells values apart by their ends. */
import jayson from "jayson"
import { listen } from "./listen.ts"

type Done = (error?: jayson.JSONRPCError | null, result?: unknown) => void

const server = new jayson.Server({
  add: (params: ReadonlyArray<number>, done: Done) => done(null, params.reduce((sum, one) => sum + one, 0))
})
if (process.argv.includes("--tcp")) listen(server.tcp(), "tcp")
else listen(server.http(), "http", "/")
