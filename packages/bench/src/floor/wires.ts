/**
 * Plain wires, for floors and libraries that bring none: a TCP server, a connection, a child process.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process"
import * as net from "node:net"
import type { Readable, Writable } from "node:stream"
import type { Command } from "../Subject.ts"

/** Listens on a free port, and gives it. */
export const serve = (server: net.Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(address !== null && typeof address === "object" ? address.port : 0)
    })
  })

export const connect = (port: number): Promise<net.Socket> =>
  new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1", () => {
      socket.setNoDelay(true)
      resolve(socket)
    })
  })

export const start = ({ args, command }: Command): ChildProcessByStdio<Writable, Readable, null> =>
  spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
