/**
 * Microseconds that a deadline costs each call in memory: `node deadline.ts 64`.
 *
 * Both ways in one process, turn about: they share what the optimizer made of them, so that the difference is the
 * deadline's, where two processes differ by how lucky each was.
 */
import { median } from "./rounds.ts"
import { load } from "./subjects.ts"
import { open, take } from "./turn.ts"

const turns = 41

const turn = { payload: "small", inFlight: Number(process.argv[2] ?? 64), milliseconds: 40 } as const

const clients = await Promise.all(["mem/parley", "mem/parley-no-deadline"].map(async (name) => {
  const [subject] = await load(new RegExp(`^${name}$`))
  if (subject === undefined) throw new Error(`no subject ${name}`)
  return (await open(subject)).client
}))

for (const client of clients) await take(client, { ...turn, milliseconds: 1_000 })

const differences: Array<number> = []
for (let count = 0; count < turns; count++) {
  // Who comes second finds what the first has left: in the caches, and to be collected.
  const order = count % 2 === 0 ? clients : clients.toReversed()
  const cpu = new Map<unknown, number>()
  for (const client of order) cpu.set(client, (await take(client, turn)).cpu)
  differences.push((cpu.get(clients[0]) ?? NaN) - (cpu.get(clients[1]) ?? NaN))
}
process.stdout.write(`${median(differences)}\n`, () => process.exit())
