/**
 * The floors in memory and over streams: newlines, and `Content-Length`, which alone is byte-wise.
 */
import type { Subject } from "../Subject.ts"
import { batched, clDeframe, floorClient, floorServer, lines, q, withHeader } from "./floor.ts"
import { overSockets, start } from "./wires.ts"

const ignore = () => {}

export const floors: ReadonlyArray<Subject> = [
  {
    name: "mem/floor",
    wire: "mem",
    open: () => {
      const server = floorServer(q((text) => client.recv(text)))
      const client = floorClient(q(server))
      return { call: client.call, close: ignore }
    }
  },
  ...overSockets("floor-ndjson", (s) => {
    s.setEncoding("utf8")
    const w = batched((x) => s.write(x))
    s.on("data", lines(floorServer((t) => w(t + "\n"))))
  }, (s) => {
    s.setEncoding("utf8")
    const w = batched((x) => s.write(x))
    const c = floorClient((t) => w(t + "\n"))
    s.on("data", lines(c.recv))
    return { call: c.call, close: () => s.destroy() }
  }),
  ...overSockets("floor-cl", (s) => {
    const w = batched((x) => s.write(x))
    s.on("data", clDeframe(floorServer((t) => w(withHeader(t)))))
  }, (s) => {
    const w = batched((x) => s.write(x))
    const c = floorClient((t) => w(withHeader(t)))
    s.on("data", clDeframe(c.recv))
    return { call: c.call, close: () => s.destroy() }
  }),
  {
    name: "stdio/floor-ndjson",
    wire: "stdio",
    serve: () => {
      process.stdin.setEncoding("utf8")
      const w = batched((x) => process.stdout.write(x))
      process.stdin.on("data", lines(floorServer((t) => w(t + "\n"))))
    },
    connect: (command) => {
      const child = start(command)
      child.stdout.setEncoding("utf8")
      const w = batched((x) => child.stdin.write(x))
      const c = floorClient((t) => w(t + "\n"))
      child.stdout.on("data", lines(c.recv))
      return { call: c.call, close: () => child.kill() }
    }
  },
  {
    name: "stdio/floor-cl",
    wire: "stdio",
    serve: () => {
      const w = batched((x) => process.stdout.write(x))
      process.stdin.on("data", clDeframe(floorServer((t) => w(withHeader(t)))))
    },
    connect: (command) => {
      const child = start(command)
      const w = batched((x) => child.stdin.write(x))
      const c = floorClient((t) => w(withHeader(t)))
      child.stdout.on("data", clDeframe(c.recv))
      return { call: c.call, close: () => child.kill() }
    }
  }
]
