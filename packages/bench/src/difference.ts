/**
 * Microseconds of processor time that a call of one client costs more than of another.
 *
 * Both in one process, turn about: they share what the optimizer made of them, so that the difference is what they
 * differ in, where two processes differ by how lucky each was.
 */
import { median } from "./rounds.ts"
import type { Client } from "./Subject.ts"
import { take } from "./turn.ts"

const turns = 41

export const difference = async (one: Client, other: Client, inFlight: number): Promise<number> => {
  const turn = { payload: "small", inFlight, milliseconds: 40 } as const
  const clients = [one, other]
  for (const client of clients) await take(client, { ...turn, milliseconds: 1_000 })
  const differences: Array<number> = []
  for (let count = 0; count < turns; count++) {
    // Who comes second finds what the first has left: in the caches, and to be collected.
    const order = count % 2 === 0 ? clients : clients.toReversed()
    const cpu = new Map<unknown, number>()
    for (const client of order) cpu.set(client, (await take(client, turn)).cpu)
    differences.push((cpu.get(one) ?? NaN) - (cpu.get(other) ?? NaN))
  }
  return median(differences)
}
