import ArgumentParser
import Foundation
import ImageCore
import ImageLoaderKit

struct PreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview", abstract: "Show images in the terminal.",
        discussion: """
            Uses the terminal's own images where it says by its environment that it can: the kitty protocol with \
            KITTY_WINDOW_ID, or with TERM or TERM_PROGRAM of kitty or Ghostty; iTerm's with TERM_PROGRAM iTerm.app or \
            WezTerm, or LC_TERMINAL iTerm2; sixel with a TERM of foot, mlterm, or with sixel in its name. Elsewhere, \
            and in tmux and screen, draws half blocks in 24-bit color, or in 256 colors unless COLORTERM is truecolor \
            or 24bit. With NO_COLOR or TERM=dumb, draws characters.

            EXAMPLES
              imageload preview photo.jpg
              imageload preview photos --columns 40
            """)

    @Argument(help: "Files, folders or patterns.", completion: .file())
    var files: [String]

    @Option(help: "The width in columns, from 1 to 500. Default: that of the terminal.")
    var columns: Int?

    @Option(help: "How to draw. Default: by the terminal.")
    var graphics: TerminalGraphics?

    @OptionGroup var limits: LimitOptions
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        guard columns.map((1...500).contains) ?? true else { throw ValidationError("--columns must be from 1 to 500") }
    }

    func run() async throws {
        let input = InputFiles(files)
        let decoder = DownsamplingDecoder.standard(.all, limits: limits.limits)
        let terminal = Console.terminalSize
        let screen = TerminalScreen(
            graphics: graphics ?? TerminalGraphics(ProcessInfo.processInfo.environment),
            columns: columns ?? terminal.columns, rows: max(1, terminal.rows - 2))
        try await input.forEach(printing) { file in
            let data = try await FileAccess.read(file.path)
            let request = DecodingRequest(target: .fit(screen.pixels), acceptsTruncated: true)
            let image = try decoder.decode(data, request: request)
            let shown = ShownImage(
                file: file.path, graphics: screen.graphics.rawValue, width: image.bitmap.size.width,
                height: image.bitmap.size.height)
            if input.files.count > 1, !printing.quiet, !printing.json { Console.output(file.path) }
            if printing.json {
                Console.output(try shown.json())
            } else {
                Console.write(try screen.text(image.bitmap) + "\n", to: STDOUT_FILENO)
            }
        }
    }
}

/// What `preview --json` prints instead of the image.
private struct ShownImage: Encodable {
    var file: String
    var graphics: String
    var width: Int
    var height: Int
}
