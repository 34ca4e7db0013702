/**
 * Between this thread and another: the floor, the libraries, Effect RPC and Parley.
 *
 * The floor and Parley post texts. `vscode-jsonrpc` and Effect RPC post objects,
 * which the threads clone.
 */
import * as NodeWorker from "@effect/platform-node/NodeWorker"
import * as NodeWorkerRunner from "@effect/platform-node/NodeWorkerRunner"
import * as ParleyWorker from "@parley/node/NodeWorker"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RpcClient from "effect/rpc/RpcClient"
import * as RpcServer from "effect/rpc/RpcServer"
import { parentPort, Worker } from "node:worker_threads"
import * as rpc from "vscode-jsonrpc/node"
import { floorClient, floorServer } from "../floor/floor.ts"
import { clientOf, group, handlers, options } from "../peers/effectRpc.ts"
import { vscodeClient, vscodeServe } from "../peers/libraries.ts"
import { answer, brief, peerOf } from "../peers/parley.ts"
import type { Subject, Thread } from "../Subject.ts"

const start = ({ options, script }: Thread): Worker => new Worker(script, options)

const parent = () => {
  if (parentPort === null) throw new Error("this is no worker thread")
  return parentPort
}

const floor: Subject = {
  name: "worker/floor",
  wire: "worker",
  serve: () => {
    const port = parent()
    port.on("message", floorServer((t) => port.postMessage(t)))
  },
  connect: (thread) => {
    const worker = start(thread)
    const c = floorClient((t) => worker.postMessage(t))
    worker.on("message", c.recv)
    return { call: c.call, close: () => worker.terminate() }
  }
}

const others: ReadonlyArray<Subject> = [
  {
    name: "worker/vscode-jsonrpc",
    wire: "worker",
    serve: () => {
      const port = parent()
      vscodeServe(rpc.createMessageConnection(new rpc.PortMessageReader(port), new rpc.PortMessageWriter(port)))
    },
    connect: (thread) => {
      const worker = start(thread)
      const connection = rpc.createMessageConnection(
        new rpc.PortMessageReader(worker),
        new rpc.PortMessageWriter(worker)
      )
      return vscodeClient(connection, () => {
        connection.dispose()
        return worker.terminate()
      })
    }
  },
  {
    name: "worker/effect-rpc",
    wire: "worker",
    serve: () => {
      const server = RpcServer.layer(group, options).pipe(
        Layer.provide(handlers),
        Layer.provide(RpcServer.layerProtocolWorkerRunner),
        Layer.provide(NodeWorkerRunner.layer)
      )
      Effect.runFork(Layer.launch(server))
    },
    connect: (thread) =>
      clientOf(
        // Its default is a call at a time.
        RpcClient.layerProtocolWorker({ size: 1, concurrency: 1024 }).pipe(
          Layer.provide(NodeWorker.layer(() => start(thread)))
        )
      )
  }
]

const parley = brief.map((variant): Subject => ({
  name: `worker/${variant.name}`,
  wire: "worker",
  serve: () => answer(variant, ParleyWorker.makeParent()),
  connect: ({ options, script }) => peerOf(variant, ParleyWorker.makeTransport({ url: script, worker: options }))
}))

export const worker: ReadonlyArray<Subject> = [floor, ...parley, ...others]
