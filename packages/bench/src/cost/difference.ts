/**
 * Microseconds of processor time that a call of one client costs more than of another.
 *
 * Both in one process, turn about: they share what the optimizer made of them, so that the difference is what they
 * differ in, where two processes differ by how lucky each was. A turn is only ever slowed down by others, so what is
 * compared are the 20th percentiles of both, not their medians.
 */
import type { Client } from "../Subject.ts"
import { take } from "../turn.ts"

const turns = 80

export const difference = async (one: Client, other: Client, inFlight: number): Promise<number> => {
  const turn = { payload: "small", inFlight, milliseconds: 25 } as const
  const clients = [one, other]
  for (const client of clients) await take(client, { ...turn, milliseconds: 1_000 })
  const costs = new Map<Client, Array<number>>(clients.map((client) => [client, []]))
  for (let count = 0; count < turns; count++) {
    // Who comes second finds what the first has left: in the caches, and to be collected.
    for (const client of count % 2 === 0 ? clients : clients.toReversed()) {
      costs.get(client)?.push((await take(client, turn)).cpu)
    }
  }
  return percentile20(costs.get(one)) - percentile20(costs.get(other))
}

const percentile20 = (values: ReadonlyArray<number> = []): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 5)] ?? NaN
