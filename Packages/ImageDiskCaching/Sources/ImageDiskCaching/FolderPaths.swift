/// The paths of the files of a cache.
///
/// ```text
/// <root>/usage            the number of bytes in use, see UsageFile; its lock is the lock of the folder
/// <root>/3f/3f9a…         an entry, see EntryFile; without the subfolder in a flat layout
/// <root>/tmp/0.part       an entry that is being written, see PartialFile
/// ```
struct FolderPaths: Sendable {
    let root: String
    let layout: DiskLayout

    var usage: String { "\(root)/usage" }
    var temporary: String { "\(root)/tmp" }
    /// The index of the formats before version 3.
    var olderIndexes: [String] { ["\(root)/entries.index", "\(root)/entries.table"] }

    func entry(_ name: EntryName) -> String {
        let text = name.text
        return layout == .sharded ? "\(root)/\(text.prefix(2))/\(text)" : "\(root)/\(text)"
    }

    func folder(of name: EntryName) -> String {
        layout == .sharded ? "\(root)/\(name.text.prefix(2))" : root
    }

    func part(_ number: Int) -> String { "\(temporary)/\(number).part" }

    /// The folders that can contain entries, in any layout.
    func folders(_ fileSystem: FileSystem) throws -> [String] {
        let names = try ifExists { try fileSystem.list(root) } ?? []
        return [root] + names.filter { $0.utf8.count == 2 && UInt8($0, radix: 16) != nil }.map { "\(root)/\($0)" }
    }

    /// The entries in a folder. Files of other programs are not listed.
    func entries(in folder: String, _ fileSystem: FileSystem) throws -> [ListedEntry] {
        do {
            return try (ifExists { try fileSystem.list(folder) } ?? []).compactMap { text in
                guard let name = EntryName(text), folder == root || folder.hasSuffix(text.prefix(2)),
                    let status = try ifExists({ try fileSystem.status(at: "\(folder)/\(text)") }), status.isRegular
                else { return nil }
                return ListedEntry(name: name, byteCount: status.byteCount, modified: status.modified)
            }
        } catch let failure as FileSystemFailure where failure.isForeign {
            // A file of another program that has the name of a subfolder.
            return []
        }
    }
}

/// An entry in a list of a folder.
struct ListedEntry {
    var name: EntryName
    var byteCount: Int
    /// The time of the last use, in nanoseconds since 1970.
    var modified: Int64
}
