/** A worker of Effect that passes on what it is sent. */
import * as NodeWorker from "@effect/platform-node/NodeWorker"
import { type MessagePort, Worker } from "node:worker_threads"

/** The platform's first words and its envelope, around a relay to a port. */
export const relay = (port: MessagePort) =>
  NodeWorker.layer(() =>
    new Worker(
      `const { parentPort, workerData } = require("node:worker_threads")
       const close = () => { parentPort.close(); workerData.close() }
       parentPort.on("message", ([kind, value]) => {
         if (kind === 1) return close()
         workerData.postMessage(value)
       })
       workerData.on("message", (value) => parentPort.postMessage([1, value]))
       parentPort.postMessage([0])`,
      { eval: true, workerData: port, transferList: [port] }
    )
  )
