import ArgumentParser
import Foundation
import ImageCore
import ImageLoaderKit
import ImageLoading
import Synchronization

struct SheetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sheet", abstract: "Load images and arrange them on a contact sheet.",
        discussion: """
            EXAMPLES
              imageload sheet https://example.com/{1,2,3}.jpg --output sheet.png --columns 3
            """)

    @OptionGroup var options: LoadingOptions

    @Option(name: [.short, .long], help: "The PNG file to write.", completion: .file())
    var output: String

    @Option(help: "The number of images per row, from 1 to 50.")
    var columns = 10

    func validate() throws {
        try OutputFormat.checkName(output, in: [.png])
        guard (1...50).contains(columns) else { throw ValidationError("--columns must be from 1 to 50") }
        guard options.size?.isOpen != true else { throw ValidationError("sheets need a --size with both sides") }
        guard options.colors.output == .sRGB else { throw ValidationError("sheets are in sRGB: omit --color") }
    }

    func run() async throws {
        var options = options
        let cell = options.size ?? PixelSize(width: 160, height: 120)
        options.size = cell
        options.fill = true
        let session = try LoadSession(options)
        let tiles = Tiles(count: session.addresses.count)
        let clock = ContinuousClock()
        var failure: (any Error)?
        do {
            try await session.run { loader, item, request, onProgress in
                let start = clock.now
                let loaded = try await loader.image(for: request, onProgress: onProgress)
                tiles.set(ContactSheet.Tile(loaded, elapsed: clock.now - start), at: item.index)
                return LoadReport.OutputImage(loaded)
            }
        } catch {
            failure = error
        }
        try await write(tiles.all, cell)
        if let failure { throw failure }
    }

    private func write(_ tiles: [ContactSheet.Tile?], _ cell: PixelSize) async throws {
        let sheet = ContactSheet(columns: columns, cell: cell).draw(tiles)
        try await FileAccess.writePNG(sheet, to: URL(fileURLWithPath: output))
        if !options.printing.json, !options.printing.quiet {
            Console.output("contact sheet: \(output) (\(sheet.size))")
        }
    }

    /// Collects the tiles of the first pass, so that captions show the original source of each image.
    private final class Tiles: Sendable {
        private let tiles: Mutex<[ContactSheet.Tile?]>

        init(count: Int) { tiles = Mutex(Array(repeating: nil, count: count)) }

        var all: [ContactSheet.Tile?] { tiles.withLock { $0 } }

        func set(_ tile: ContactSheet.Tile, at index: Int) {
            tiles.withLock { if $0[index] == nil { $0[index] = tile } }
        }
    }
}
