/** A look at one page: what its reader meets, measured in the browser. */
import type { Page } from "playwright-core"

export interface Look {
  /** Lines that the page wrote to the console, and errors that nothing caught. */
  readonly complaints: ReadonlyArray<string>
  /** Addresses that it loaded from elsewhere. */
  readonly foreign: ReadonlyArray<string>
  /** How many pixels the page is wider than its window. */
  readonly overflow: number
  readonly ids: ReadonlySet<string>
  /** The addresses of its links to this site. */
  readonly links: ReadonlyArray<string>
  /** Texts that are hard to read, in the light theme and in the dark one. */
  readonly pale: ReadonlyArray<string>
}

/** The least contrast of text and background, by WCAG 2.2 (AA). */
const least = 4.5

/** Opens an address in a window of a phone. */
export const at = async (page: Page, address: string): Promise<Look> => {
  const { origin } = new URL(address)
  const complaints: Array<string> = []
  const foreign: Array<string> = []
  page.removeAllListeners()
  page.on("pageerror", (error) => complaints.push(String(error)))
  page.on(
    "console",
    (line) => ["error", "warning"].includes(line.type()) && complaints.push(`${line.text()} ${line.location().url}`)
  )
  page.on("request", (request) => !request.url().startsWith(`${origin}/`) && foreign.push(request.url()))
  // The browser gives up what a page fetches ahead when the next page is opened.
  page.on(
    "requestfailed",
    (request) => request.failure()?.errorText !== "net::ERR_ABORTED" && complaints.push(`${request.url()} failed`)
  )
  await page.goto(address)
  // The router of the site has taken over when it has marked what it renders.
  await page.waitForFunction(() => Reflect.has(document.querySelector("#app") ?? {}, "__vue_app__"))
  const { ids, links, overflow } = await page.evaluate((origin) => ({
    overflow: document.documentElement.scrollWidth - window.innerWidth,
    ids: Array.from(document.querySelectorAll("[id]"), ({ id }) => id),
    links: Array.from(document.querySelectorAll("a"), ({ href }) => href).filter((href) =>
      href.startsWith(`${origin}/`)
    )
  }), origin)
  const pale = await paleTexts(page)
  return {
    complaints,
    foreign: foreign.filter((url) => !/^(data|blob):/.test(url)),
    overflow,
    ids: new Set(ids),
    links,
    pale
  }
}

/** The texts of an open page that are hard to read, in the light theme and in the dark one. */
export const paleTexts = async (page: Page, within = "main"): Promise<ReadonlyArray<string>> => {
  // A colour that is under way to another is none to measure.
  await page.addStyleTag({ content: "*, ::before, ::after { transition: none !important }" })
  return [...await paleIn(page, within, "light"), ...await paleIn(page, within, "dark")]
}

const paleIn = (page: Page, within: string, theme: "light" | "dark"): Promise<ReadonlyArray<string>> =>
  page.evaluate(({ least, theme, within }) => {
    document.documentElement.classList.toggle("dark", theme === "dark")
    const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 })
    const context = canvas.getContext("2d", { willReadFrequently: true })!
    /** Red, green, blue from 0 to 255, and alpha from 0 to 1, of any colour of CSS over another. */
    const over = (colour: string, below: ReadonlyArray<number>) => {
      context.fillStyle = `rgb(${below.join(" ")})`
      context.fillRect(0, 0, 1, 1)
      context.fillStyle = colour
      context.fillRect(0, 0, 1, 1)
      return Array.from(context.getImageData(0, 0, 1, 1).data.slice(0, 3))
    }
    const backgrounds = new Map<Element, ReadonlyArray<number>>()
    const backgroundOf = (element: Element): ReadonlyArray<number> => {
      const known = backgrounds.get(element)
      if (known !== undefined) return known
      const below = element.parentElement === null ? [255, 255, 255] : backgroundOf(element.parentElement)
      const colour = getComputedStyle(element).backgroundColor
      const made = colour === "rgba(0, 0, 0, 0)" ? below : over(colour, below)
      backgrounds.set(element, made)
      return made
    }
    const luminance = (rgb: ReadonlyArray<number>) => {
      const [red = 0, green = 0, blue = 0] = rgb.map((value) =>
        value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4
      )
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const found = new Map<string, string>()
    const main = document.querySelector(within) ?? document.body
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT)
    const seen = new Set<string>()
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement
      const text = node.textContent?.trim() ?? ""
      if (element === null || text === "" || !element.checkVisibility({ opacityProperty: true })) continue
      const background = backgroundOf(element)
      const { color } = getComputedStyle(element)
      const pair = `${color} on rgb(${background.join(" ")})`
      if (seen.has(pair)) continue
      seen.add(pair)
      const [light = 0, dark = 0] = [luminance(over(color, background)), luminance(background)].toSorted((a, b) =>
        b - a
      )
      const contrast = (light + 0.05) / (dark + 0.05)
      if (contrast < least) found.set(pair, `${theme}: “${text.slice(0, 40)}” has ${contrast.toFixed(2)}, ${pair}`)
    }
    return [...found.values()]
  }, { least, theme, within })
