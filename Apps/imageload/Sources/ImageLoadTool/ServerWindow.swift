/// Chooses which addresses are loaded next: in the order given, but only some of each server at a time, so that a slow
/// one holds up no other. The others wait without a task.
struct ServerWindow {
    /// The number of servers that can be slow before others wait.
    static let servers = 8

    let addresses: [String]
    /// The number of addresses of a server in progress at a time.
    let limit: Int
    private var nextIndex = 0
    private var counts: [Substring: Int] = [:]
    private var waiting: [Substring: ArraySlice<Int>] = [:]

    init(_ addresses: [String], limit: Int) {
        self.addresses = addresses
        self.limit = limit
    }

    /// Returns the indices of the addresses to begin with.
    mutating func first() -> [Int] { (0..<limit * Self.servers).compactMap { _ in next() } }

    /// Returns the index of the address to load after another one, if any may be loaded now.
    mutating func next(after index: Int) -> Int? {
        let server = server(of: index)
        if let next = waiting[server]?.popFirst() { return next }
        counts[server, default: 1] -= 1
        return next()
    }

    private mutating func next() -> Int? {
        while nextIndex < addresses.count {
            defer { nextIndex += 1 }
            let server = server(of: nextIndex)
            if counts[server, default: 0] < limit {
                counts[server, default: 0] += 1
                return nextIndex
            }
            waiting[server, default: []].append(nextIndex)
        }
        return nil
    }

    /// The scheme and the server of a URL. Empty for a path.
    private func server(of index: Int) -> Substring {
        let address = addresses[index]
        guard let slashes = address.firstRange(of: "://") else { return "" }
        return address[..<(address[slashes.upperBound...].firstIndex(of: "/") ?? address.endIndex)]
    }
}
