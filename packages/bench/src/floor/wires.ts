/**
 * Plain wires, for floors and libraries that bring none: servers and connections of sockets, a child process.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process"
import * as net from "node:net"
import type { Readable, Writable } from "node:stream"
import type { Client, Command, Subject } from "../Subject.ts"

/** Listens on a free port, and gives it. */
export const serve = (server: net.Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(address !== null && typeof address === "object" ? address.port : 0)
    })
  })

const connect = (place: { readonly port: number; readonly host: string } | { readonly path: string }) =>
  new Promise<net.Socket>((resolve) => {
    const socket = net.connect(place, () => {
      socket.setNoDelay(true)
      resolve(socket)
    })
  })

/** What speaks over a socket, as two subjects: over TCP, and over a Unix socket. */
export const overSockets = (
  name: string,
  take: (socket: net.Socket) => void,
  client: (socket: net.Socket) => Client
): ReadonlyArray<Subject> => {
  const server = () =>
    net.createServer((socket) => {
      socket.setNoDelay(true)
      socket.on("error", () => {})
      take(socket)
    })
  return [
    {
      name: `tcp/${name}`,
      wire: "tcp",
      serve: () => serve(server()),
      connect: async (port) => client(await connect({ port, host: "127.0.0.1" }))
    },
    {
      name: `unix/${name}`,
      wire: "unix",
      serve: (path) => new Promise<void>((resolve) => void server().listen(path, resolve)),
      connect: async (path) => client(await connect({ path }))
    }
  ]
}

export const start = ({ args, command }: Command): ChildProcessByStdio<Writable, Readable, null> =>
  spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
