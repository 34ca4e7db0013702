/** `anvil`, a node for Ethereum's developers, as a process. */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as Folder from "./Folder.ts"

/** The program itself: the script of the package would be one more process. */
const program = (): string | undefined => {
  const { arch, platform } = process
  const name = `${platform}-${arch === "x64" ? "amd64" : arch}/bin/anvil${platform === "win32" ? ".exe" : ""}`
  try {
    const found = createRequire(createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json"))
      .resolve(`@foundry-rs/anvil-${name}`)
    return spawnSync(found, ["--version"]).status === 0 ? found : undefined
  } catch {
    return undefined
  }
}

/** The path of the program; `undefined` if its package has none for this platform. */
export const anvil = program()

/** A node that ends with the Scope, and how to end it before. */
export const start = Effect.gen(function*() {
  const path = join(yield* Folder.make(), "s")
  const node = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(anvil ?? "anvil", ["--port", "0", "--host", "127.0.0.1", "--ipc", path, "--accounts", "1"], {
        stdio: ["ignore", "pipe", "ignore"]
      })
    ),
    (node) =>
      Effect.promise(async () => {
        if (node.exitCode !== null || node.signalCode !== null) return
        const exited = once(node, "exit")
        node.kill("SIGKILL")
        await exited
      })
  )
  const authority = yield* Effect.promise(async () => {
    let said = ""
    for await (const line of createInterface(node.stdout)) {
      said += `${line}\n`
      const [, authority] = /^Listening on (\S+)$/.exec(line) ?? []
      if (authority === undefined) continue
      // Its log must not fill the pipe.
      node.stdout.resume()
      return authority
    }
    return assert.fail(`anvil did not listen: ${said}`)
  })
  return { authority, path, kill: Effect.sync(() => node.kill("SIGKILL")) }
})

export class Anvil extends Context.Service<Anvil, Effect.Success<typeof start>>()("test/Anvil") {
  static readonly layer = Layer.effect(Anvil, start)
}
