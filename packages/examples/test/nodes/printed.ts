/** The configuration of HAProxy that docs/how-to/run-on-several-nodes.md prints, as a file for a trial. */
import { Effect } from "effect"
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"
import { freePort } from "../../../../tools/docs/ports.ts"
import * as Balancer from "../../../../tools/test/pages/Balancer.ts"
import * as Page from "../../../../tools/test/pages/Page.ts"

/** HAProxy, which is needed. */
export const { needed } = Balancer.haproxy

/** Writes the configuration, with ports of this machine, for three nodes. */
export const file = (name: string): Effect.Effect<string> =>
  Effect.promise(async () => {
    const block = Page.block("docs/how-to/run-on-several-nodes.md", "haproxy", "10.0.0.11")
    const nodes = [await placePort(), await placePort(), await placePort()]
    return Page.save(Page.folder(name), "haproxy.cfg", `${Balancer.local(block, await freePort(), nodes)}\n`)
  })

/**
 * A free port below those that systems give to the connections of clients: while nobody listens there, since a node was
 * killed, no connection gets it.
 */
const placePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const server = createServer().listen(port, "127.0.0.1")
    const isFree = await once(server, "listening").then(() => true, () => false)
    if (!isFree) continue
    server.close()
    await once(server, "close")
    return port
  }
}
