// Foundation's networking, which is a module of its own on Linux, and declarations that Linux doesn't have.
// Scripts/check-apple imports this module in each file of the modules that need it.
public import Foundation
public import Synchronization

#if canImport(FoundationNetworking)
    @_exported public import FoundationNetworking
#endif

extension URL {
    public static var cachesDirectory: URL { FileManager.default.temporaryDirectory.appending(path: "Caches") }
}

extension URLSessionConfiguration {
    public var allowsConstrainedNetworkAccess: Bool {
        get { true }
        set { if !newValue { ConstrainedAccessStub.isForbidden.withLock { $0 = true } } }
    }
}

#if canImport(FoundationNetworking)
    // An extension can't store them, except in a header field.
    extension URLRequest {
        public var allowsExpensiveNetworkAccess: Bool {
            get { value(forHTTPHeaderField: "Expensive") == nil }
            set { setValue(newValue ? nil : "no", forHTTPHeaderField: "Expensive") }
        }
        public var allowsConstrainedNetworkAccess: Bool {
            get { value(forHTTPHeaderField: "Constrained") == nil }
            set { setValue(newValue ? nil : "no", forHTTPHeaderField: "Constrained") }
        }
    }
#endif

/// Whether any configuration forbids it, because an extension can't store it for each, and tests run at the same time.
public enum ConstrainedAccessStub {
    public static let isForbidden = Mutex(false)
}
