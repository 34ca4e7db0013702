/** Imported before a program: its servers listen on this machine alone, where they name no address. */
import { Server } from "node:net"

type Listen = (this: Server, address: string | null, port: number, family: number, ...rest: Array<unknown>) => unknown

/**
 * The step behind `listen` at which an address is known. What asks for the address of a server in the line behind
 * `listen` gets it, as it would not where `listen` had to look up a name.
 */
const step = Server.prototype as Server & { _listen2: Listen }

const listen = step._listen2
step._listen2 = function(address, port, family, ...rest) {
  return address === null
    ? listen.call(this, "127.0.0.1", port, 4, ...rest)
    : listen.call(this, address, port, family, ...rest)
}
