/** Records the terminal session of the README anew. */
import { writeFile } from "node:fs/promises"
import { draw } from "./Picture.ts"
import { record } from "./Session.ts"

await writeFile(new URL("../../../../docs/images/terminal.svg", import.meta.url), await draw(await record()))
