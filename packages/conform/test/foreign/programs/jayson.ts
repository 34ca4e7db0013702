/** A server of jayson over HTTP. */
import jayson from "jayson"
import { listen } from "./listen.ts"

type Done = (error?: jayson.JSONRPCError | null, result?: unknown) => void

const server = new jayson.Server({
  add: (params: ReadonlyArray<number>, done: Done) => done(null, params.reduce((sum, one) => sum + one, 0))
})
listen(server.http(), "http", "/")
