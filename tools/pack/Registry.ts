/** A registry of npm with the packed packages, and them alone: everything else comes from the usual one. */
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { basename, join } from "node:path"
import type { Published } from "./Published.ts"

export class Registry implements AsyncDisposable {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async open(packages: ReadonlyArray<Published>): Promise<Registry> {
    const server = createServer((request, response) => {
      const asked = decodeURIComponent(request.url ?? "")
      const packed = packages.find(({ name, tarball }) => asked === `/${name}` || asked === `/-/${basename(tarball)}`)
      if (packed === undefined) return void response.writeHead(404).end("{}")
      if (asked.startsWith("/-/")) return void response.end(readFileSync(packed.tarball))
      response.setHeader("content-type", "application/json").end(JSON.stringify(documentOf(packed, addressOf(server))))
    })
    await once(server.listen(0, "127.0.0.1"), "listening")
    return new Registry(server)
  }

  /** Has npm, pnpm, yarn, Bun and Deno look here for our packages, in a project. */
  configure(folder: string): void {
    writeFileSync(join(folder, ".npmrc"), `@parley:registry=${addressOf(this.#server)}\n`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, "close")
  }
}

// A server that listens on a port has an address of this kind.
const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

/** The document of a registry about a package with one version. */
const documentOf = ({ integrity, name, tarball, version }: Published, address: string) => {
  const manifest = JSON.parse(execFileSync("tar", ["xOzf", tarball, "package/package.json"], { encoding: "utf8" }))
  const dist = { tarball: `${address}-/${basename(tarball)}`, integrity }
  return {
    name,
    "dist-tags": { latest: version },
    time: { [version]: "2026-01-01T00:00:00.000Z" },
    versions: { [version]: { ...manifest, dist } }
  }
}
