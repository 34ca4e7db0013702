/** The theme of VitePress, with our colours, and the modules of this package that pages mount. */
import type { Theme } from "vitepress"
import DefaultTheme from "vitepress/theme"
import { islands } from "./islands.ts"
import "./style.css"

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    for (const [name, component] of Object.entries(islands)) app.component(name, component)
  }
} satisfies Theme
